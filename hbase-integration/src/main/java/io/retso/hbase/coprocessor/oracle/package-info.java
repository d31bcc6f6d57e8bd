/**
 * A region server's link to an oracle, the cleanup of abandoned marks that it serves, and the first
 * horizon of a region that opens.
 */
package io.retso.hbase.coprocessor.oracle;
