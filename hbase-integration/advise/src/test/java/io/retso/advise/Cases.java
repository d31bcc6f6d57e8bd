package io.retso.advise;

import io.retso.advise.model.Operation;
import io.retso.advise.model.Program;
import io.retso.advise.model.Programs;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Workloads of the literature, whose verdicts are known. */
final class Cases {
  private Cases() {}

  /** SmallBank as in Alomari et al., ICDE 2008, section III.B. */
  static Map<String, Program> smallBankPrograms() {
    Map<String, Program> all = new LinkedHashMap<>();
    put(
        all,
        Program.named("Balance", "n")
            .read("account", "n", "id")
            .read("saving", "n", "b")
            .read("checking", "n", "b"));
    put(
        all,
        Program.named("DepositChecking", "n")
            .read("account", "n", "id")
            .read("checking", "n", "b")
            .write("checking", "n", "b"));
    put(
        all,
        Program.named("TransactSaving", "n")
            .read("account", "n", "id")
            .read("saving", "n", "b")
            .write("saving", "n", "b"));
    put(
        all,
        Program.named("Amalgamate", "n1", "n2")
            .read("account", "n1", "id")
            .read("account", "n2", "id")
            .read("saving", "n1", "b")
            .read("checking", "n1", "b")
            .write("saving", "n1", "b")
            .write("checking", "n1", "b")
            .read("checking", "n2", "b")
            .write("checking", "n2", "b")
            .distinct("n1", "n2"));
    put(
        all,
        Program.named("WriteCheck", "n")
            .read("account", "n", "id")
            .read("saving", "n", "b")
            .read("checking", "n", "b")
            .write("checking", "n", "b"));
    return all;
  }

  private static void put(Map<String, Program> all, Program program) {
    all.put(program.name(), program);
  }

  /** SmallBank with changed programs. */
  @SafeVarargs
  static Programs smallBank(Map.Entry<String, UnaryOperator<Program>>... changes) {
    Map<String, Program> all = smallBankPrograms();
    for (Map.Entry<String, UnaryOperator<Program>> change : changes) {
      all.computeIfPresent(change.getKey(), (name, program) -> change.getValue().apply(program));
    }
    return Programs.of(all.values());
  }

  static Map.Entry<String, UnaryOperator<Program>> in(
      String program, UnaryOperator<Program> change) {
    return Map.entry(program, change);
  }

  static Program conflictRow(Program program, String key) {
    return program.read("conflict", key, "v").write("conflict", key, "v");
  }

  /** The strategies of that paper, table I, and others, by name. */
  static Map<String, Programs> safeStrategies() {
    Map<String, Programs> all = new LinkedHashMap<>();
    all.put(
        "MaterializeWT",
        smallBank(
            in("WriteCheck", p -> conflictRow(p, "n")),
            in("TransactSaving", p -> conflictRow(p, "n"))));
    all.put("PromoteWT-upd", smallBank(in("WriteCheck", p -> p.write("saving", "n", "b"))));
    all.put("PromoteWT-lock", smallBank(in("WriteCheck", p -> p.lock("saving", "n", "b"))));
    all.put("ValidateWT", smallBank(in("WriteCheck", p -> p.validate("saving", "n", "b"))));
    all.put(
        "MaterializeBW",
        smallBank(
            in("Balance", p -> conflictRow(p, "n")), in("WriteCheck", p -> conflictRow(p, "n"))));
    all.put("PromoteBW-upd", smallBank(in("Balance", p -> p.write("checking", "n", "b"))));
    all.put("PromoteBW-lock", smallBank(in("Balance", p -> p.lock("checking", "n", "b"))));
    all.put(
        "MaterializeALL",
        smallBank(
            in("Balance", p -> conflictRow(p, "n")),
            in("WriteCheck", p -> conflictRow(p, "n")),
            in("TransactSaving", p -> conflictRow(p, "n")),
            in("DepositChecking", p -> conflictRow(p, "n")),
            in("Amalgamate", p -> conflictRow(conflictRow(p, "n1"), "n2"))));
    all.put(
        "PromoteALL",
        smallBank(
            in("WriteCheck", p -> p.write("saving", "n", "b")),
            in("Balance", p -> p.write("saving", "n", "b").write("checking", "n", "b"))));
    return all;
  }

  static Map<String, Programs> unsafeStrategies() {
    Map<String, Programs> all = new LinkedHashMap<>();
    all.put("SI", smallBank());
    all.put("MaterializeWC", smallBank(in("WriteCheck", p -> conflictRow(p, "n"))));
    all.put("LockChecking", smallBank(in("WriteCheck", p -> p.lock("checking", "n", "b"))));
    all.put("ValidateBW", smallBank(in("Balance", p -> p.validate("checking", "n", "b"))));
    List<Program> more = new ArrayList<>(smallBankPrograms().values());
    more.add(
        Program.named("SendPayment", "n1", "n2")
            .read("account", "n1", "id")
            .read("account", "n2", "id")
            .read("checking", "n1", "b")
            .write("checking", "n1", "b")
            .read("checking", "n2", "b")
            .write("checking", "n2", "b")
            .distinct("n1", "n2"));
    all.put("with SendPayment", Programs.of(more));
    return all;
  }

  /**
   * TPC-C.
   *
   * @param split whether Delivery is two programs, one of which finds no order
   * @param totals whether Payment writes those of warehouse and district
   */
  static Map<String, Program> tpcc(boolean split, boolean totals) {
    Map<String, Program> all = new LinkedHashMap<>();
    put(
        all,
        Program.named("NewOrder", "w", "d", "c", "o", "i", "l")
            .read("warehouse", "w", "tax")
            .read("district", "w d", "tax next")
            .write("district", "w d", "next")
            .read("customer", "w d c", "disc last cred")
            .write("neworder", "w d o", "*")
            .write("order", "w d o", "* cid carrier cnt")
            .read("item", "i", "price")
            .read("stock", "w i", "qty dist")
            .write("stock", "w i", "qty ytd")
            .write("line", "w d o l", "* amt ddate item"));
    Program payment =
        Program.named("Payment", "w", "d", "c", "h")
            .read("warehouse", "w", "addr ytd")
            .read("district", "w d", "addr ytd")
            .read("customer", "w d c", "last cred bal")
            .write("customer", "w d c", "bal data ytd")
            .write("history", "h", "*");
    put(
        all,
        totals ? payment.write("warehouse", "w", "ytd").write("district", "w d", "ytd") : payment);
    put(
        all,
        Program.named("OrderStatus", "w", "d", "c", "o")
            .read("customer", "w d c", "bal last")
            .scan("order", "w d", "* cid carrier")
            .scan("line", "w d o", "* amt ddate item"));
    put(
        all,
        Program.named("StockLevel", "w", "d", "i")
            .read("district", "w d", "next")
            .scan("line", "w d", "* item")
            .read("stock", "w i", "qty"));
    Program delivery = Program.named("Delivery", "w", "d", "c", "o", "l");
    if (split) {
      put(all, Program.named("DeliveryNone", "w", "d").scan("neworder", "w d", "*"));
    } else {
      delivery = delivery.scan("neworder", "w d", "*");
    }
    put(
        all,
        delivery
            .write("neworder", "w d o", "*")
            .read("neworder", "w d o", "*")
            .read("order", "w d o", "cid carrier")
            .write("order", "w d o", "carrier")
            .scan("line", "w d o", "amt")
            .write("line", "w d o l", "ddate")
            .read("customer", "w d c", "bal")
            .write("customer", "w d c", "bal dcnt"));
    return all;
  }

  static Program creditCheck() {
    return Program.named("CreditCheck", "w", "d", "c")
        .read("customer", "w d c", "bal lim cred")
        .scan("neworder", "w d", "*")
        .scan("order", "w d", "* cid")
        .scan("line", "w d", "* amt")
        .write("customer", "w d c", "cred");
  }

  static Programs dbt2() {
    Map<String, Program> all = tpcc(true, false);
    put(all, creditCheck());
    return Programs.of(all.values());
  }

  /** What is safe as it is, by name. */
  static Map<String, Programs> safe() {
    Map<String, Programs> all = new LinkedHashMap<>(safeStrategies());
    all.put("TPC-C", Programs.of(tpcc(true, true).values()));
    Map<String, Program> locked = tpcc(true, true);
    put(locked, creditCheck().with(lock("district", "w", "d")));
    all.put("TPC-C++ that locks the district", Programs.of(locked.values()));
    all.put(
        "SIBENCH",
        programs(
            Program.named("update", "k").read("t", "k", "v").write("t", "k", "v"),
            Program.named("query").scan("t", "", "v *")));
    Program branch =
        Program.named("TpcB", "a", "t", "b", "h")
            .read("account", "a", "bal")
            .write("account", "a", "bal")
            .read("teller", "t", "bal")
            .write("teller", "t", "bal")
            .read("branch", "b", "bal")
            .write("branch", "b", "bal")
            .write("history", "h", "* d");
    all.put("TPC-B", programs(branch));
    all.put(
        "TPC-B and an audit",
        programs(
            branch,
            Program.named("audit").scan("account", "", "bal *").scan("branch", "", "bal *")));
    all.put(
        "transfers",
        programs(
            Program.named("transfer", "a1", "a2")
                .read("account", "a1", "b")
                .read("account", "a2", "b")
                .write("account", "a1", "b")
                .write("account", "a2", "b")));
    all.put(
        "YCSB A, B, F",
        programs(
            Program.named("read", "k").read("u", "k", "f"),
            Program.named("update", "k").write("u", "k", "f"),
            Program.named("rmw", "k").read("u", "k", "f").write("u", "k", "f")));
    all.put(
        "YCSB E",
        programs(
            Program.named("scan").scan("u", "", "f *"),
            Program.named("insert", "k").write("u", "k", "f *")));
    all.put(
        "unique names",
        programs(
            Program.named("register", "name", "id")
                .read("index", "name", "* id")
                .write("user", "id", "* name")
                .write("index", "name", "* id")));
    all.put("batches without a report", programs(batch()[0], batch()[1]));
    return all;
  }

  static Operation lock(String table, String... key) {
    return new Operation(Operation.Kind.LOCK, table, List.of(key), java.util.Set.of());
  }

  private static Programs programs(Program... programs) {
    return Programs.of(List.of(programs));
  }

  /** Ports and Grittner, VLDB 2012, example 2. */
  static Program[] batch() {
    return new Program[] {
      Program.named("NewReceipt", "batch", "r")
          .read("control", "'now'", "batch")
          .write("receipt", "batch r", "amount *"),
      Program.named("CloseBatch")
          .read("control", "'now'", "batch")
          .write("control", "'now'", "batch"),
      Program.named("Report", "batch")
          .read("control", "'now'", "batch")
          .scan("receipt", "batch", "amount *")
    };
  }

  static Map<String, Programs> unsafe() {
    Map<String, Programs> all = new LinkedHashMap<>(unsafeStrategies());
    all.put("TPC-C with a Delivery that scans", Programs.of(tpcc(false, true).values()));
    Map<String, Program> credit = tpcc(true, true);
    put(credit, creditCheck());
    all.put("TPC-C++", Programs.of(credit.values()));
    all.put("DBT-2++", dbt2());
    Map<String, Program> validated = new LinkedHashMap<>(credit);
    validated.compute("NewOrder", (name, p) -> p.validate("customer", "w d c", "cred"));
    all.put("TPC-C++ whose NewOrder validates", Programs.of(validated.values()));
    all.put(
        "doctors",
        programs(
            Program.named("GoOffCall", "shift", "doctor")
                .scan("doctor", "shift", "oncall *")
                .write("doctor", "shift doctor", "oncall")));
    all.put("batches", programs(batch()));
    all.put(
        "withdrawals of two accounts",
        programs(
            Program.named("transfer", "a1", "a2")
                .read("account", "a1", "b")
                .read("account", "a2", "b")
                .write("account", "a1", "b")
                .write("account", "a2", "b"),
            Program.named("withdraw", "a1", "a2")
                .read("account", "a1", "b")
                .read("account", "a2", "b")
                .write("account", "a1", "b")));
    all.put(
        "parents and children",
        programs(
            Program.named("AddChild", "p", "c").read("parent", "p", "*").write("child", "p c", "*"),
            Program.named("Drop", "p").scan("child", "p", "*").write("parent", "p", "*")));
    return all;
  }
}
