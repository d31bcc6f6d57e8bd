/**
 * HBase and an oracle in the process of an application's tests: {@link
 * io.retso.testkit.RetsoExtension} gives JUnit 5 tests a {@link io.retso.testkit.TestCluster}.
 * Tests that {@code retso advise} writes extend {@link io.retso.testkit.DangerTest}.
 */
package io.retso.testkit;
