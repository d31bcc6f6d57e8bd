package io.retso.hbase.table;

import io.retso.client.TokenSource;
import io.retso.hbase.layout.DescriptorQuery;
import io.retso.text.ErrorText;
import io.retso.text.Text;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.Result;

/**
 * Tokens of the oracle that a region server gets for the user of a connection to HBase, because
 * HBase has verified which user that is. Thread-safe.
 */
public final class RegionTokens implements TokenSource {
  private static final int SECONDS = 10;

  private final AsyncConnection hbase;
  private final TableName table;

  /** Tokens from a prepared table's first region. */
  public RegionTokens(AsyncConnection hbase, TableName table) {
    this.hbase = hbase;
    this.table = table;
  }

  @Override
  public byte[] token() throws IOException, InterruptedException {
    Result answer;
    try {
      answer =
          hbase
              .getTableBuilder(table)
              .setOperationTimeout(SECONDS, TimeUnit.SECONDS)
              .build()
              .get(DescriptorQuery.tokenQuery())
              .get(2 * SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof DoNotRetryIOException refusal) {
        throw new SecurityException(ErrorText.of(refusal), refusal);
      }
      throw new IOException(ErrorText.of(e.getCause()), e.getCause());
    } catch (TimeoutException e) {
      throw new IOException(Text.of("no region of %s answers", table), e);
    }
    byte[] token = DescriptorQuery.tokenOf(answer);
    if (token == null) {
      throw new SecurityException(
          Text.of(
              "the region server of %s gets no tokens: prepare the table, and give its region"
                  + " servers this version of the coprocessor",
              table));
    }
    return token;
  }
}
