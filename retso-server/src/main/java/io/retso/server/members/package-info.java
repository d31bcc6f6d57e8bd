/**
 * What a member learns of the others from the world: from ZooKeeper which there are ({@link
 * io.retso.server.members.ZooKeeperRoster}), from a connection whether the leader's process is
 * there ({@link io.retso.server.members.NettyLeaderWatch}).
 */
package io.retso.server.members;
