// SPDX-License-Identifier: MPL-2.0

// Package towersim is a SmartX CloudTower that lives in memory: clusters,
// hosts, networks, templates, VMs and the guests in them, behind the REST API
// of the real one.
//
// It is meant for tests of Tower clients, for demos and for authors of modules
// who have no Tower at hand. A server is made by [New] from a scenario, which
// says what the Tower holds at the start, how long things take, what each guest
// does after its power-on, and which requests go wrong. Time is simulated: what
// takes minutes in a real Tower can take milliseconds here.
//
// Nothing here knows any particular client. The scenario alone says what the
// guests report and when; whether that makes a VM ready is for clients to judge.
package towersim

// Which file holds what:
//
//	server.go          the server: options, start, listening, the Go API's basics
//	dispatch.go        the way of a request: log-in, faults, decoding, handler, reply
//	handlers.go        the table of operations and their handlers
//	world.go           the world: all simulated state
//	objects.go         the types of the simulated objects; others are where their handlers are
//	table.go           the tables that hold the objects of one type
//	hardware.go        what VMs, templates and snapshots consist of
//	derive.go          members of rows that follow from other objects, such as counts and sums
//	clock.go           the simulated time and the queue of events to come
//	task.go            tasks, and the lock of a busy object (ResourceLocked)
//	task_change.go     what handlers that start tasks have in common
//	guest.go           what a guest reports from its power-on to its power-off
//	fault*.go          faults: failed requests and tasks, and changes by others
//	entities*.go       what filters can see: the objects and how they relate
//	query/             the query engine: filters, order and pages
//	wire/              the types of requests and replies, generated from the API description
//	reply_version.go   what an older Tower leaves out of its replies
//	errors.go          the bodies of refused requests
//	auth.go            users, log-in and API keys
//	graphql*.go        the mutations that clients send over GraphQL
//	journal*.go        the changes of rows, for get-resource-changes
//	mutation.go        the record of accepted changes, for tests
//	scenario*.go       scenarios: types, decoding, checks and defaults
//	inventory.go       what a scenario puts into the world at the start
//	schedule.go        which host a VM starts on, and whether it has room
//	outside_tower.go   what happens behind Tower's back
//	kube*.go, node.go  the simulated Kubernetes API and its nodes
//	control*.go        what tests can do and see (the Go API and /_sim/v1)
//	status*.go         the status page
//	vm_*.go            operations on VMs, one file for each part of a VM
//
// The other files are named after the objects that they create and change.
//
// Locks: one lock, Server.mu, protects the world and all that it refers to.
// Server.run takes it for a request and Server.withWorld for a call of the Go
// API; handlers, tasks and events run while it is held. The clock has a lock of
// its own, which is always taken last.
//
// Tower's locks, which make it answer ResourceLocked, are simulated in task.go:
// an object is busy while a task changes it, see checkUnlocked.
