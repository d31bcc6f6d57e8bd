/**
 * The server as a process: its commands, and the wiring of everything else.
 *
 * <ul>
 *   <li>{@link io.retso.server.RetsoServer}: puts the parts together and takes them apart again.
 *   <li>{@link io.retso.server.ServerCommand}: its command line. {@link io.retso.server.commands}:
 *       those of operators.
 *   <li>{@link io.retso.server.config}: settings. {@link io.retso.server.observe}: metrics, health
 *       and status. {@link io.retso.server.embedded}: ZooKeeper and bookies in process. {@link
 *       io.retso.server.members}: what a member learns of the others. {@link
 *       io.retso.server.rehearsal}: what a standby does before it says that it is ready.
 * </ul>
 *
 * <p>Clocks, randomness and the end of the process are decided here and handed to the other
 * packages.
 */
package io.retso.server;
