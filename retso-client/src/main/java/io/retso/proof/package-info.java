/** The codes of tickets and receipts, by which numbers are proved to those that have a key. */
package io.retso.proof;
