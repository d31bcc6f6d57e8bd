/**
 * What administrators do: {@link io.retso.hbase.admin.TablePreparation} prepares and checks tables,
 * {@link io.retso.hbase.admin.TableGrants} gives users the rights that transactions need. For
 * applications.
 */
package io.retso.hbase.admin;
