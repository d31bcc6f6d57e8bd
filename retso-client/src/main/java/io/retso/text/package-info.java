/**
 * What people read and write, in all programs alike: sentences, addresses, and what an exception of
 * a library says. Knows no other package.
 */
package io.retso.text;
