/**
 * The clients of {@code retso verify}, in this process and in others: threads with random
 * transactions on lists, and one that moves tokens; each records what it saw.
 */
package io.retso.verify.clients;
