// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"crypto/x509"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// connect makes the client and logs in, so that a wrong configuration causes one
// error here instead of one for each object.
func connect(ctx context.Context, cfg tower.Config, diags *diag.Diagnostics) *tower.Client {
	client, err := tower.New(cfg)
	if err != nil {
		addConnectError(diags, "configure", "provider", "elf", attrServer, err)
		return nil
	}
	if err := client.Login(ctx); err != nil {
		addConnectError(diags, "log in to", "Tower", client.Server(), loginAttribute(err, cfg), err)
		return nil
	}
	return client
}

// addConnectError attaches the error to the attribute that the client names, else
// to fallback. If both are "", it attaches the error to none.
func addConnectError(diags *diag.Diagnostics, verb, object, name, fallback string, err error) {
	var config *tower.ConfigError
	if errors.As(err, &config) {
		fallback = config.Field
	}
	if fallback == "" {
		diagx.AddError(diags, verb, object, name, err)
		return
	}
	diagx.AddAttributeError(diags, path.Root(fallback), verb, object, name, err)
}

// loginAttribute returns the attribute that the user should check first, or "" if
// it may be any. It never returns one with a secret, because Terraform prints the
// line of the configuration that an error is attached to.
func loginAttribute(err error, cfg tower.Config) string {
	var login *tower.LoginError
	if !errors.As(err, &login) {
		return ""
	}
	switch login.Problem {
	case tower.LoginUnreachable, tower.LoginNotTower:
		return attrServer
	case tower.LoginTLS:
		var authority x509.UnknownAuthorityError
		if cfg.CACertificate != "" && errors.As(err, &authority) {
			return attrCACertificate
		}
		return attrServer
	case tower.LoginWrongCredentials, tower.LoginTwoFactor:
		return attrUsername
	case tower.LoginDirectory:
		return attrUserSource
	case tower.LoginTokenRefused, tower.LoginFailed:
	}
	return ""
}

// towerLog returns a function that writes the client's log to Terraform's log and
// masks the given secrets wherever they occur.
func towerLog(secrets ...string) func(ctx context.Context, level tower.LogLevel, msg string, fields map[string]any) {
	known := make([]string, 0, len(secrets))
	for _, s := range secrets {
		if s != "" {
			known = append(known, s)
		}
	}
	return func(ctx context.Context, level tower.LogLevel, msg string, fields map[string]any) {
		ctx = tflog.MaskMessageStrings(ctx, known...)
		ctx = tflog.MaskAllFieldValuesStrings(ctx, known...)
		ctx = tflog.MaskFieldValuesWithFieldKeys(ctx, "authorization", "password", "token")
		switch level {
		case tower.LogTrace:
			tflog.Trace(ctx, msg, fields)
		case tower.LogDebug:
			tflog.Debug(ctx, msg, fields)
		case tower.LogInfo:
			tflog.Info(ctx, msg, fields)
		case tower.LogWarn:
			tflog.Warn(ctx, msg, fields)
		}
	}
}
