package io.retso.hbase.beside;

import java.util.List;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;

/**
 * One call of an application.
 *
 * @param way how the requests are made
 * @param requests a scan, or gets and changes of rows
 */
record Statement(Way way, List<?> requests) {
  /** Methods of tables. */
  enum Way {
    GET,
    GET_ALL,
    EXISTS,
    EXISTS_ALL,
    SCAN,
    PUT,
    PUT_ALL,
    DELETE,
    DELETE_ALL,
    INCREMENT,
    APPEND,
    MUTATE_ROW,
    CHECK_AND_MUTATE,
    CHECK_AND_MUTATE_ALL,
    BATCH
  }

  boolean isRead() {
    return switch (way) {
      case GET, GET_ALL, EXISTS, EXISTS_ALL, SCAN -> true;
      default -> false;
    };
  }

  /** Makes the call; the answer is what HBase's method returns, lists for arrays. */
  Object on(AnyTable table) throws Exception {
    Object first = requests.get(0);
    return switch (way) {
      case GET -> table.get((Get) first);
      case GET_ALL -> table.getAll(all(Get.class));
      case EXISTS -> table.exists((Get) first);
      case EXISTS_ALL -> table.existsAll(all(Get.class));
      case SCAN -> table.scan((Scan) first);
      case PUT -> table.put((Put) first);
      case PUT_ALL -> table.putAll(all(Put.class));
      case DELETE -> table.delete((Delete) first);
      case DELETE_ALL -> table.deleteAll(all(Delete.class));
      case INCREMENT -> table.increment((Increment) first);
      case APPEND -> table.append((Append) first);
      case MUTATE_ROW -> table.mutateRow((RowMutations) first);
      case CHECK_AND_MUTATE -> table.checkAndMutate((CheckAndMutate) first);
      case CHECK_AND_MUTATE_ALL -> table.checkAndMutateAll(all(CheckAndMutate.class));
      case BATCH -> table.batch(all(Row.class));
    };
  }

  private <T> List<T> all(Class<T> type) {
    return requests.stream().map(type::cast).toList();
  }

  @Override
  public String toString() {
    return way + " " + RequestText.of(requests);
  }
}
