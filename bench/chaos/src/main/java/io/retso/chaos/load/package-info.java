/**
 * Clients of a cluster of oracles that go on through its faults, in a process of their own on the
 * host of the clients, and what they notice: when requests were answered, and for how long none
 * was.
 */
package io.retso.chaos.load;
