/**
 * ZooKeeper and bookies in the server's own process, for one machine: the log then needs nothing
 * else to be installed. {@link io.retso.server.embedded.EmbeddedBookKeeper} starts both.
 */
package io.retso.server.embedded;
