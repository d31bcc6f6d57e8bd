package io.retso.testkit;

import io.retso.hbase.TransactionManager;
import org.apache.yetus.audience.InterfaceAudience;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests of JUnit 5 and later a {@link TestCluster}, or its {@link TransactionManager}, as a
 * parameter:
 *
 * <pre>{@code
 * @ExtendWith(RetsoExtension.class)
 * class TransferTest {
 *   @Test
 *   void movesMoney(TestCluster cluster) throws IOException {
 *     cluster.createTable("checking", "f");
 *     new Bank(cluster.manager()).transfer(...);
 *   }
 * }
 * }</pre>
 *
 * <p>All tests of a run share one cluster, which starts with the first (some ten seconds) and stops
 * after the last. Thread-safe.
 */
@SuppressWarnings("deprecation") // JUnit 6 has other names; those of JUnit 5 work with both
@InterfaceAudience.Public
public final class RetsoExtension implements ParameterResolver {
  /** JUnit closes it after the last test: since 5.13 what is AutoCloseable, before the other. */
  private record Shared(TestCluster cluster)
      implements ExtensionContext.Store.CloseableResource, AutoCloseable {
    @Override
    public void close() {
      cluster.close();
    }
  }

  /** Called by JUnit. */
  public RetsoExtension() {}

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == TestCluster.class || type == TransactionManager.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    TestCluster cluster =
        context
            .getRoot()
            .getStore(ExtensionContext.Namespace.create(RetsoExtension.class))
            .getOrComputeIfAbsent(
                Shared.class, key -> new Shared(TestCluster.start()), Shared.class)
            .cluster();
    return parameter.getParameter().getType() == TestCluster.class ? cluster : cluster.manager();
  }
}
