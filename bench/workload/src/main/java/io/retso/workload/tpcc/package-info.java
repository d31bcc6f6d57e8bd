/**
 * DBT-2++ of Ports and Grittner, Serializable Snapshot Isolation in PostgreSQL (2012): TPC-C with
 * the Credit Check of Cahill (2009), which is not serializable under snapshot isolation beside
 * NewOrder.
 *
 * <p>As there, year-to-date totals of warehouses and districts are left out, and what never changes
 * is no row of a store: items, and names and taxes of warehouses. Nor are texts: rows consist of
 * numbers. Customers are chosen by their numbers, as their names never change. What SQL's indexes
 * are for are two tables: orders of a customer, and those of them that are not delivered.
 */
package io.retso.workload.tpcc;
