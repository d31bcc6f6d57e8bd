/**
 * What is in a transactional table, and what clients and region servers say to each other:
 * versions, marks, tombstones, the settings in the descriptor, and the attributes of requests.
 * docs/data-format.md is the specification.
 *
 * <p>Internal to this module. Knows no other package but {@code options}.
 */
package io.retso.hbase.layout;
