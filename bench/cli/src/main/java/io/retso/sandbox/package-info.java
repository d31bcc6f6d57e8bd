/**
 * {@code retso sandbox}: HBase, an oracle and prepared tables on this machine, for an application
 * that is being written.
 */
package io.retso.sandbox;
