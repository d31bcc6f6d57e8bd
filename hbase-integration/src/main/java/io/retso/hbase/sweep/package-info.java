/**
 * What dead clients left is found: {@link io.retso.hbase.sweep.Sweeper} visits all marks of all
 * tables, {@link io.retso.hbase.sweep.SweepSchedule} says when a transaction manager does that by
 * itself.
 */
package io.retso.hbase.sweep;
