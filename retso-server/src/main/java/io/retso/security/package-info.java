/**
 * What makes an answer worth believing: the secret that the servers of one log share, and the
 * tickets that are made with it. The only room in which there is cryptography, all of it the JDK's;
 * it knows no network, no log and no settings. The reasons are in decision 29.
 */
package io.retso.security;
