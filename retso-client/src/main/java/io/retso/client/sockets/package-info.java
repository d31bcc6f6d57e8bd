/**
 * A client's loop on a thread, sockets and name servers; a simulator has another one. The bytes
 * that come are those of {@link io.retso.client.connection}.
 */
package io.retso.client.sockets;
