package io.retso.hbase.operation;

import io.retso.hbase.futures.Futures;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Row;

/**
 * Actions of any kind that are carried out in their order; gets that follow each other are one
 * read. After a failure the rest is not carried out.
 *
 * <p>To be run once, within an operation of the transaction.
 */
public final class OrderedBatch {
  private final List<? extends Row> actions;
  private final Function<List<? extends Row>, CompletableFuture<? extends List<?>>> step;

  /** Results of the actions that were carried out. */
  private final List<Object> results;

  /**
   * A batch that begins with {@link #run}.
   *
   * @param actions checked
   * @param step carries out several gets, or one action of another kind
   */
  public OrderedBatch(
      List<? extends Row> actions,
      Function<List<? extends Row>, CompletableFuture<? extends List<?>>> step) {
    this.actions = List.copyOf(actions);
    this.step = step;
    this.results = new ArrayList<>(actions.size());
  }

  public boolean hasWrites() {
    return actions.stream().anyMatch(action -> !(action instanceof Get));
  }

  public CompletableFuture<Void> run() {
    // Without recursion as long as nothing has to be waited for.
    while (results.size() < actions.size()) {
      int begin = results.size();
      int end = endOfGets(begin);
      CompletableFuture<? extends List<?>> answers =
          step.apply(actions.subList(begin, Math.max(end, begin + 1)));
      if (!answers.isDone() || answers.isCompletedExceptionally()) {
        return answers.thenCompose(
            done -> {
              results.addAll(done);
              return run();
            });
      }
      results.addAll(answers.join());
    }
    return CompletableFuture.completedFuture(null);
  }

  private int endOfGets(int from) {
    int end = from;
    while (end < actions.size() && actions.get(end) instanceof Get) {
      end++;
    }
    return end;
  }

  /**
   * What becomes of each action. Not before the operation has ended, as a caller that has the last
   * one may commit.
   *
   * @param ended the operation in which the batch runs; if it fails, so do the actions that were
   *     not carried out
   */
  @SuppressWarnings("unchecked") // the caller says what the actions return, as in HBase
  public <T> List<CompletableFuture<T>> outcomes(CompletableFuture<Void> ended) {
    List<CompletableFuture<T>> outcomes = new ArrayList<>(actions.size());
    for (int i = 0; i < actions.size(); i++) {
      int index = i;
      outcomes.add(
          Futures.compose(
              ended,
              (done, failure) ->
                  failure == null || index < results.size()
                      ? CompletableFuture.completedFuture((T) results.get(index))
                      : Futures.failed(failure)));
    }
    return outcomes;
  }
}
