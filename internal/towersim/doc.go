// SPDX-License-Identifier: MPL-2.0

// Package towersim is a SmartX CloudTower that lives in memory: clusters,
// hosts, networks, templates, VMs and the guests in them, behind the REST API
// of the real one.
//
// It is meant for tests of Tower clients, for demos and for authors of modules
// who have no Tower at hand. A server is made by [New] from a scenario, which
// says what the Tower holds at the start, how long things take, what each guest
// does after its power-on, and which requests go wrong. Time is simulated: a
// story of minutes can run in milliseconds.
//
// Nothing here knows any particular client. What the guests report and when is
// decided by the scenario alone; whether that makes a VM ready is for clients
// to judge.
package towersim
