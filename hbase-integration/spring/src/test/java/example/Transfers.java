package example;

import io.retso.hbase.ReadTable;
import io.retso.hbase.TransactionalTable;
import io.retso.spring.CurrentTransaction;
import java.io.IOException;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Transfers {
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] BALANCE = Bytes.toBytes("balance");

  private final CurrentTransaction current;

  public Transfers(CurrentTransaction current) {
    this.current = current;
  }

  @Transactional
  public void transfer(String from, String to, long amount) throws IOException {
    TransactionalTable accounts = current.table("accounts");
    set(accounts, from, balance(accounts, from) - amount);
    set(accounts, to, balance(accounts, to) + amount);
  }

  @Transactional(readOnly = true)
  public long balance(String account) throws IOException {
    return balance(current.readTable("accounts"), account);
  }

  private static long balance(ReadTable accounts, String account) throws IOException {
    byte[] value = accounts.get(new Get(Bytes.toBytes(account))).getValue(F, BALANCE);
    return value == null ? 0 : Bytes.toLong(value);
  }

  private static void set(TransactionalTable accounts, String account, long amount)
      throws IOException {
    accounts.put(new Put(Bytes.toBytes(account)).addColumn(F, BALANCE, Bytes.toBytes(amount)));
  }
}
