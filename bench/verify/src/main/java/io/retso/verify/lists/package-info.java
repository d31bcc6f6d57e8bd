/**
 * What {@code retso verify} works on: lists in the cells of transactional tables, what a
 * transaction may do with them, and what no correct store does to them.
 */
package io.retso.verify.lists;
