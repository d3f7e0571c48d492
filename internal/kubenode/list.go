// SPDX-License-Identifier: MPL-2.0

package kubenode

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
)

const (
	jsonType  = "application/json"
	protoType = "application/vnd.kubernetes.protobuf" // makes a list of many nodes several times smaller
)

// lister lists the nodes of one cluster.
type lister struct {
	config    Config
	userAgent string

	client *rest.RESTClient
	raw    []byte // the kubeconfig that client was made from
	host   string
}

// snapshot lists the nodes, or says why it can't. It reads the kubeconfig each time, because that may have appeared or
// changed.
func (l *lister) snapshot(ctx context.Context) *snapshot {
	nodes, err := l.list(ctx)
	s := newSnapshot(nodes)
	if err != nil {
		s.problem = l.explain(err)
	}
	return s
}

func (l *lister) list(ctx context.Context) ([]corev1.Node, error) {
	if err := l.connect(); err != nil {
		return nil, &connectError{err}
	}
	// The next tick is the retry.
	answer, err := l.client.Get().Resource("nodes").MaxRetries(0).Do(ctx).Get()
	if err != nil {
		if apierrors.IsUnauthorized(err) {
			l.client = nil // Files or a plugin may have new credentials the next time.
		}
		return nil, err
	}
	nodes, ok := answer.(*corev1.NodeList)
	if !ok {
		return nil, fmt.Errorf("the answer is a %T instead of a list of nodes", answer)
	}
	return nodes.Items, nil
}

// connect makes a client, unless there is one for the same kubeconfig.
func (l *lister) connect() error {
	raw, err := l.config.kubeconfig()
	if err != nil {
		return err
	}
	if l.client != nil && bytes.Equal(raw, l.raw) {
		return nil
	}
	l.client = nil
	config, err := l.config.client(raw)
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return err
	}
	config.APIPath = "/api"
	config.ContentConfig = rest.ContentConfig{
		GroupVersion:         &corev1.SchemeGroupVersion,
		NegotiatedSerializer: serializer.NewCodecFactory(scheme).WithoutConversion(),
		ContentType:          jsonType,
		AcceptContentTypes:   protoType + "," + jsonType,
	}
	config.UserAgent = l.userAgent
	config.QPS = -1 // The interval between lists is limit enough.
	config.WarningHandler = rest.NoWarnings{}
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return err
	}
	l.client, l.raw, l.host = client, raw, config.Host
	return nil
}

// connectError says why there is no client.
type connectError struct{ err error }

func (e *connectError) Error() string { return e.err.Error() }

func (e *connectError) Unwrap() error { return e.err }

// explain says in one sentence why a list failed.
func (l *lister) explain(err error) string {
	var connect *connectError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.Is(err, errEmpty):
		return fmt.Sprintf("The kubeconfig %s is still empty.", l.config.ConfigPath)
	case errors.As(err, &connect) && errors.Is(err, os.ErrNotExist) && l.config.missing():
		return fmt.Sprintf("The kubeconfig %s does not exist yet.", l.config.ConfigPath)
	case errors.As(err, &connect):
		return fmt.Sprintf("The Kubernetes configuration can't be used: %s.", trim(err))
	case errors.Is(err, context.DeadlineExceeded) || apierrors.IsTimeout(err):
		return fmt.Sprintf("The Kubernetes API server %s did not answer in time.", l.host)
	case apierrors.IsUnauthorized(err):
		return fmt.Sprintf("The Kubernetes API server %s refuses the credentials (401): they are wrong or expired.", l.host)
	case apierrors.IsForbidden(err):
		return fmt.Sprintf("The Kubernetes API server %s refuses to list nodes (403): allow this user to list nodes. It says: %s.", l.host, trim(err))
	case errors.As(err, &cert):
		return fmt.Sprintf("The certificate of the Kubernetes API server %s is not trusted: %s.", l.host, trim(cert.Err))
	case isStatus(err):
		return fmt.Sprintf("The Kubernetes API server %s failed: %s.", l.host, trim(err))
	}
	return fmt.Sprintf("The Kubernetes API server %s does not list its nodes: %s.", l.host, trim(err))
}

func isStatus(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}

func trim(err error) string {
	return strings.TrimRight(strings.TrimSpace(err.Error()), ".")
}
