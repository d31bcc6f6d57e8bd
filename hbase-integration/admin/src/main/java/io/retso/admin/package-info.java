/** {@code retso hbase}: what an operator does to tables, once or now and then. */
package io.retso.admin;
