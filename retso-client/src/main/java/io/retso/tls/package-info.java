/**
 * TLS for the oracle's clients and its servers: files with certificates and keys, what Netty makes
 * of them, and what a failure means to a person.
 *
 * <p>Only TLS 1.3 is spoken, by Netty's own engine (BoringSSL) where it is on the class path, by
 * the JDK's otherwise. Nothing in here is for programs.
 */
package io.retso.tls;
