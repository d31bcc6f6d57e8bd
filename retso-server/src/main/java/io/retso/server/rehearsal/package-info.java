/**
 * What a server does as a leader for the first time takes it many times as long as later: its
 * classes are loaded, and their code is interpreted. So a standby rehearses ({@link
 * io.retso.server.rehearsal.Rehearsal}) before it says that it is ready.
 */
package io.retso.server.rehearsal;
