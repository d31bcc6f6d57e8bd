package io.retso.workload.store;

import io.retso.workload.Store;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class OracleStoreTest extends StoreContract {
  private static OracleAlone alone;

  @BeforeAll
  static void startOracle() throws IOException {
    alone = new OracleAlone();
    createTable(alone.store());
  }

  @AfterAll
  static void stopOracle() throws IOException {
    alone.close();
  }

  @Override
  Store store() {
    return alone.store();
  }
}
