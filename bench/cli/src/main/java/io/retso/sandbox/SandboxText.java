package io.retso.sandbox;

import io.retso.hbase.ManagerBuilder;
import io.retso.text.Text;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;

/** What a sandbox says when it serves. Stateless. */
final class SandboxText {
  private SandboxText() {}

  /**
   * How an application finds it.
   *
   * @param tables with their families, as they were asked for
   */
  static String ready(
      SandboxFiles files, Configuration client, List<String> tables, double seconds) {
    return Text.of(
        """

        Ready after %.1f s.

          HBase's ZooKeeper  %s, port %s
          oracle             %s
          tables             %s

        In the code of an application:

          Configuration hbase = HBaseConfiguration.create();
          hbase.set("%s", "%s");
          hbase.set("%s", "%s");
          TransactionManager manager = TransactionManager.builder(hbase).oracle("%s").build();

        With the directory of %s on its class path it needs neither:

          TransactionManager.builder(HBaseConfiguration.create()).build()

        A file of Java runs with all that it needs by

          java @%s File.java
        """,
        seconds,
        client.get(HConstants.ZOOKEEPER_QUORUM),
        client.get(HConstants.ZOOKEEPER_CLIENT_PORT),
        client.get(ManagerBuilder.ORACLE_KEY),
        String.join(" ", tables),
        HConstants.ZOOKEEPER_QUORUM,
        client.get(HConstants.ZOOKEEPER_QUORUM),
        HConstants.ZOOKEEPER_CLIENT_PORT,
        client.get(HConstants.ZOOKEEPER_CLIENT_PORT),
        client.get(ManagerBuilder.ORACLE_KEY),
        files.site(),
        files.arguments());
  }
}
