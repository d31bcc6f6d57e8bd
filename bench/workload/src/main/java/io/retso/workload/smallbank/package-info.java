/**
 * SmallBank of Alomari, Cahill, Fekete and Röhm, The Cost of Serializability on Platforms That Use
 * Snapshot Isolation (2008): five programs of a bank that are not serializable under snapshot
 * isolation, and the ways to make them so. {@link io.retso.workload.smallbank.ScaledBank} is
 * BenchBase's variant, with one program more.
 */
package io.retso.workload.smallbank;
