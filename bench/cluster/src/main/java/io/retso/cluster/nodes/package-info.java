/**
 * A cluster on this machine that outlives the command that started it ({@code retso cluster}):
 * ZooKeeper, bookies and oracles, each a process with a directory and an address of its own. {@link
 * io.retso.cluster.nodes.Cluster} does what the commands say; what it needs to know stands in the
 * cluster's directory, so every command is a process of its own.
 */
package io.retso.cluster.nodes;
