/**
 * What administrators do: {@link io.retso.hbase.admin.TablePreparation} prepares and checks tables,
 * {@link io.retso.hbase.admin.Sweeper} finds what dead clients left in all of them, and {@link
 * io.retso.hbase.admin.SweepSchedule} says when a transaction manager does that by itself.
 */
package io.retso.hbase.admin;
