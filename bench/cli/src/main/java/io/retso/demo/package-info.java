/**
 * {@code retso demo}: a bank on transactional tables, with tellers that are killed in the middle of
 * their work and an auditor whose total must never change.
 */
package io.retso.demo;
