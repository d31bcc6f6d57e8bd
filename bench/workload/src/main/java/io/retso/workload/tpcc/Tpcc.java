package io.retso.workload.tpcc;

import io.retso.workload.Isolation;
import io.retso.workload.Options;
import io.retso.workload.Program;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import io.retso.workload.Workload;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The workload: a mix of the six programs. Several may share their tables and their journal, one
 * after the other: {@link #with}.
 */
public final class Tpcc implements Workload {
  /** Seed of what is there at first. */
  private static final long SEED = 1;

  private final Scale scale;
  private final Mix mix;
  private final Inputs inputs;
  private final Journal journal;
  private final Start start;
  private final Map<Kind, Options> options = new EnumMap<>(Kind.class);

  /** What the journal began with; for one thread at a time. */
  private static final class Start {
    private Totals totals;
  }

  /** A workload; {@link #load} comes first. */
  public Tpcc(Scale scale, Isolation isolation, Mix mix) {
    this(scale, isolation, mix, new Inputs(scale, SEED), new Journal(), new Start());
  }

  private Tpcc(
      Scale scale, Isolation isolation, Mix mix, Inputs inputs, Journal journal, Start start) {
    this.scale = scale;
    this.mix = mix;
    this.inputs = inputs;
    this.journal = journal;
    this.start = start;
    for (Kind kind : Kind.values()) {
      options.put(kind, new Options(kind.label(), isolation, kind.isReadOnly()));
    }
  }

  /** Another mix at another level, of the same tables. */
  public Tpcc with(Isolation isolation, Mix otherMix) {
    return new Tpcc(scale, isolation, otherMix, inputs, journal, start);
  }

  @Override
  public List<String> schema() {
    return Tables.ALL;
  }

  /** Fills the tables if they are empty; otherwise they stay as earlier runs have left them. */
  @Override
  public void load(Store store) throws IOException {
    boolean isEmpty;
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      String last = Tables.key(scale.warehouses(), scale.districts());
      isEmpty = tx.get(Tables.district(last)) == null;
    }
    if (isEmpty) {
      new Loader(scale, inputs, SEED).fill(store);
    }
    if (isEmpty || start.totals == null) {
      start.totals = Audit.of(store).totals();
      journal.begin(start.totals);
    }
  }

  @Override
  public Program next(SplittableRandom random) {
    return program(mix.kind(random), random);
  }

  /** A program of a kind, about what chance chooses. */
  Program program(Kind kind, SplittableRandom random) {
    Options how = options.get(kind);
    int warehouse = inputs.warehouse(random);
    String district = inputs.district(warehouse, random);
    int customer = inputs.customer(random);
    return switch (kind) {
      case NEW_ORDER ->
          new NewOrder(
              how, journal, inputs, warehouse, district, customer, inputs.lines(warehouse, random));
      case PAYMENT -> new Payment(how, journal, inputs.payer(random), inputs.payment(random));
      case CREDIT_CHECK -> new CreditCheck(how, journal, district, customer);
      case DELIVERY ->
          new Delivery(how, journal, warehouse, scale.districts(), inputs.carrier(random));
      case ORDER_STATUS -> new OrderStatus(how, journal, district, customer);
      case STOCK_LEVEL ->
          new StockLevel(how, journal, warehouse, district, inputs.threshold(random));
    };
  }

  /** A row that is always there, which most programs read. */
  public Row district() {
    return Tables.district(Tables.key(1, 1));
  }

  /** TPC-C's conditions 1 to 4, and what all committed programs say that shared the tables. */
  @Override
  public String check(Store store) throws IOException {
    String findings = Audit.of(store).findings(journal.after(start.totals));
    long torn = journal.torn.sum();
    return torn == 0
        ? findings
        : findings
            + (findings.isEmpty() ? "" : "; ")
            + torn
            + " times OrderStatus read an order without all of its lines";
  }
}
