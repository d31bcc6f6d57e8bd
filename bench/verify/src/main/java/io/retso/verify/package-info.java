/**
 * {@code retso verify}: histories of transactions ({@link io.retso.verify.history}) are checked for
 * strong snapshot isolation or serializability ({@link io.retso.verify.check}).
 */
package io.retso.verify;
