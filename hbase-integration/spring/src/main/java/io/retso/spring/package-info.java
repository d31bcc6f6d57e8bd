/** Transactions of ReTSO by Spring's own means; docs/spring.md. */
package io.retso.spring;
