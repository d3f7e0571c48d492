// SPDX-License-Identifier: MPL-2.0

package towersim

import "net/http"

func (s *Server) addKubernetes(*http.ServeMux) {}
