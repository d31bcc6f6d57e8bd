package io.retso.hbase.beside;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/** What {@code Table} and {@code AsyncTable} have in common; answers may be null, as HBase's. */
interface AnyTable {
  /** Long enough for the retries of a loaded machine. */
  long SECONDS_MAX = 120;

  Object get(Get get) throws Exception;

  Object getAll(List<Get> gets) throws Exception;

  Object exists(Get get) throws Exception;

  Object existsAll(List<Get> gets) throws Exception;

  Object scan(Scan scan) throws Exception;

  Object put(Put put) throws Exception;

  Object putAll(List<Put> puts) throws Exception;

  Object delete(Delete delete) throws Exception;

  Object deleteAll(List<Delete> deletes) throws Exception;

  Object increment(Increment increment) throws Exception;

  Object append(Append append) throws Exception;

  Object mutateRow(RowMutations mutations) throws Exception;

  Object checkAndMutate(CheckAndMutate action) throws Exception;

  Object checkAndMutateAll(List<CheckAndMutate> actions) throws Exception;

  Object batch(List<Row> actions) throws Exception;

  /** By {@code Table}. */
  record Blocking(Table table) implements AnyTable {
    @Override
    public Object get(Get get) throws Exception {
      return table.get(get);
    }

    @Override
    public Object getAll(List<Get> gets) throws Exception {
      return Arrays.asList(table.get(gets));
    }

    @Override
    public Object exists(Get get) throws Exception {
      return table.exists(get);
    }

    @Override
    public Object existsAll(List<Get> gets) throws Exception {
      List<Boolean> all = new ArrayList<>();
      for (boolean one : table.exists(gets)) {
        all.add(one);
      }
      return all;
    }

    @Override
    public Object scan(Scan scan) throws Exception {
      List<Result> rows = new ArrayList<>();
      try (ResultScanner scanner = table.getScanner(scan)) {
        for (Result row = scanner.next(); row != null; row = scanner.next()) {
          rows.add(row);
        }
      }
      return rows;
    }

    @Override
    public Object put(Put put) throws Exception {
      table.put(put);
      return null;
    }

    @Override
    public Object putAll(List<Put> puts) throws Exception {
      table.put(puts);
      return null;
    }

    @Override
    public Object delete(Delete delete) throws Exception {
      table.delete(delete);
      return null;
    }

    @Override
    public Object deleteAll(List<Delete> deletes) throws Exception {
      table.delete(new ArrayList<>(deletes)); // HBase's removes from the list what is done
      return null;
    }

    @Override
    public Object increment(Increment increment) throws Exception {
      return table.increment(increment);
    }

    @Override
    public Object append(Append append) throws Exception {
      return table.append(append);
    }

    @Override
    public Object mutateRow(RowMutations mutations) throws Exception {
      return table.mutateRow(mutations);
    }

    @Override
    public Object checkAndMutate(CheckAndMutate action) throws Exception {
      return table.checkAndMutate(action);
    }

    @Override
    public Object checkAndMutateAll(List<CheckAndMutate> actions) throws Exception {
      return table.checkAndMutate(actions);
    }

    @Override
    public Object batch(List<Row> actions) throws Exception {
      Object[] results = new Object[actions.size()];
      table.batch(actions, results);
      return Arrays.asList(results);
    }
  }

  /** By {@code AsyncTable}. */
  record Async(AsyncTable<?> table) implements AnyTable {
    private static <T> T answer(CompletableFuture<T> future) throws Exception {
      try {
        return future.get(SECONDS_MAX, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        throw e.getCause() instanceof Exception failure ? failure : e;
      }
    }

    @Override
    public Object get(Get get) throws Exception {
      return answer(table.get(get));
    }

    @Override
    public Object getAll(List<Get> gets) throws Exception {
      return answer(table.getAll(gets));
    }

    @Override
    public Object exists(Get get) throws Exception {
      return answer(table.exists(get));
    }

    @Override
    public Object existsAll(List<Get> gets) throws Exception {
      return answer(table.existsAll(gets));
    }

    @Override
    public Object scan(Scan scan) throws Exception {
      return answer(table.scanAll(scan));
    }

    @Override
    public Object put(Put put) throws Exception {
      return answer(table.put(put));
    }

    @Override
    public Object putAll(List<Put> puts) throws Exception {
      return answer(table.putAll(puts));
    }

    @Override
    public Object delete(Delete delete) throws Exception {
      return answer(table.delete(delete));
    }

    @Override
    public Object deleteAll(List<Delete> deletes) throws Exception {
      return answer(table.deleteAll(deletes));
    }

    @Override
    public Object increment(Increment increment) throws Exception {
      return answer(table.increment(increment));
    }

    @Override
    public Object append(Append append) throws Exception {
      return answer(table.append(append));
    }

    @Override
    public Object mutateRow(RowMutations mutations) throws Exception {
      return answer(table.mutateRow(mutations));
    }

    @Override
    public Object checkAndMutate(CheckAndMutate action) throws Exception {
      return answer(table.checkAndMutate(action));
    }

    @Override
    public Object checkAndMutateAll(List<CheckAndMutate> actions) throws Exception {
      return answer(table.checkAndMutateAll(actions));
    }

    @Override
    public Object batch(List<Row> actions) throws Exception {
      return answer(table.batchAll(actions));
    }
  }
}
