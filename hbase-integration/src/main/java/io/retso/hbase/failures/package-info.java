/** From failures of the oracle and of HBase to the exceptions that applications see. */
package io.retso.hbase.failures;
