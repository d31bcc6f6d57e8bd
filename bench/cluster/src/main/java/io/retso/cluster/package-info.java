/**
 * A whole ReTSO deployment on this machine, every part a process of its own: the oracle with its
 * ZooKeeper and bookie, HBase's master and region servers, and whatever clients a caller starts.
 * The demonstration, the verifier and the benchmark of tables run on it, and kill parts of it.
 *
 * <p>Everything listens on the loopback interface, on free ports. No process outlives its parent.
 */
package io.retso.cluster;
