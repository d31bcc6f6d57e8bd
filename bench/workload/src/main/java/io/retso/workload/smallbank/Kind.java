package io.retso.workload.smallbank;

/** The programs. */
public enum Kind {
  /** Balance: what a customer has in both accounts. */
  BAL("Bal"),
  /** DepositChecking: adds an amount to the checking account. */
  DC("DC"),
  /** TransactSaving: adds an amount, which may be negative, to the savings account. */
  TS("TS"),
  /** Amalgamate: moves all that one customer has to the checking account of another. */
  AMG("Amg"),
  /**
   * WriteCheck: takes an amount from the checking account, and a penalty if there is too little.
   */
  WC("WC"),
  /** SendPayment: moves an amount from one checking account to another; of BenchBase alone. */
  SP("SP");

  private final String label;

  Kind(String label) {
    this.label = label;
  }

  /** Its short name. */
  public String label() {
    return label;
  }
}
