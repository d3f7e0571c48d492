// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// Rows calls a list operation of the simulated Tower ("get-vm-snapshots") and
// returns the rows that a filter selects, as the API shows them.
func (s *Sim) Rows(operation string, where map[string]any) []map[string]any {
	s.t.Helper()
	var rows []map[string]any
	s.Call(operation, map[string]any{"where": where}, &rows)
	return rows
}

// RowID returns the id of the only row that Rows finds.
func (s *Sim) RowID(operation string, where map[string]any) string {
	s.t.Helper()
	rows := s.Rows(operation, where)
	if len(rows) != 1 {
		s.t.Fatalf("%s finds %d rows by %v, want one", operation, len(rows), where)
	}
	id, _ := rows[0]["id"].(string)
	return id
}

// Call calls an operation of the simulated Tower, as a person who works beside
// Terraform does. The call must succeed; its reply is decoded into out.
func (s *Sim) Call(operation string, body, out any) {
	s.t.Helper()
	token := s.apiToken()
	s.request(operation, token, body, out)
}

func (s *Sim) apiToken() string {
	s.t.Helper()
	var login struct {
		Data struct {
			Token string `json:"token"`
		} `json:"data"`
	}
	server := s.Server()
	s.request("login", "", map[string]any{"username": server.Username(), "password": server.Password(), "source": "LOCAL"}, &login)
	return login.Data.Token
}

func (s *Sim) request(operation, token string, body, out any) {
	s.t.Helper()
	payload, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.Server().URL()+"/v2/api/"+operation, bytes.NewReader(payload))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatalf("%s: %v", operation, err)
	}
	answer, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: status %d, %v: %s", operation, resp.StatusCode, err, answer)
	}
	if err := json.Unmarshal(answer, out); err != nil {
		s.t.Fatalf("%s: %v in %s", operation, err, answer)
	}
}
