/**
 * The process in which clients run, on the host of the clients of a cluster: its plan, its work,
 * what it says on its standard output, and the handle that others have of it.
 */
package io.retso.chaos.clients;
