// SPDX-License-Identifier: MPL-2.0

// Package wire holds the simulator's own Go types of Tower's HTTP API: request
// bodies, replies, enumerations and the table of operations.
//
// Types of replies marshal to valid JSON whatever their zero values are: a
// required list that is nil becomes an empty one, a nullable member that is nil
// becomes null, an optional one is left out. Types of requests keep an absent
// member, a null and a value apart; read them with [Decode], which is as strict
// as Tower is. A filter ("where") stays raw JSON: package query reads it.
package wire

//go:generate go run ./gen -wire . -query ../query -towersim ..
