package io.retso.hbase.admin;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.G;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.layout.PendingWrite;
import java.security.Key;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression.Algorithm;
import org.apache.hadoop.hbase.io.crypto.KeyProvider;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.security.EncryptionUtil;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What becomes of an operator's settings of the family of the marks, and where new ones begin. */
@ExtendWith(RetsoCluster.Extension.class)
class MarksFamilyTest {
  private static final String CIPHER = "AES";

  /** Has every key. */
  public static final class Keys implements KeyProvider {
    /** Called by HBase. */
    public Keys() {}

    @Override
    public void init(String parameters) {}

    @Override
    public Key getKey(String alias) {
      return new SecretKeySpec(Arrays.copyOf(alias.getBytes(), 16), CIPHER);
    }

    @Override
    public Key[] getKeys(String[] aliases) {
      return Arrays.stream(aliases).map(this::getKey).toArray(Key[]::new);
    }
  }

  private Fixture fixture;
  private Admin admin;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    admin = fixture.opened(fixture.cluster.connection().getAdmin());
    name = fixture.cluster.freshName("m");
  }

  private static ColumnFamilyDescriptor marks(TableDescriptor table) {
    return table.getColumnFamily(PendingWrite.family());
  }

  @Test
  void settingsThatTheProtocolDoesNotNeedStayAsTheyAre() throws Exception {
    TableDescriptor created =
        fixture.preparation().create(Fixture.descriptor(name).build(), Options.DEFAULT);
    ColumnFamilyDescriptor chosen =
        ColumnFamilyDescriptorBuilder.newBuilder(marks(created))
            .setCompressionType(Algorithm.GZ)
            .setDataBlockEncoding(DataBlockEncoding.FAST_DIFF)
            .setStoragePolicy("HOT")
            .setBlocksize(8192)
            .setConfiguration("hbase.hstore.blockingStoreFiles", "30")
            .build();
    admin.modifyColumnFamily(name, chosen);
    assertEquals(chosen, marks(fixture.preparation().prepare(name, Options.DEFAULT)));
    admin.modifyColumnFamily(
        name,
        ColumnFamilyDescriptorBuilder.newBuilder(chosen)
            .setMaxVersions(3)
            .setMinVersions(1)
            .setTimeToLive(60)
            .setKeepDeletedCells(KeepDeletedCells.TTL)
            .setInMemory(false)
            .setNewVersionBehavior(false)
            .setScope(1)
            .build());
    assertEquals(chosen, marks(fixture.preparation().prepare(name, Options.DEFAULT)), "mended");
    assertEquals(chosen, marks(admin.getDescriptor(name)));
  }

  /** A read of several marks would never end, and keep a thread of the region server. */
  @Test
  void aBloomFilterOfColumnsIsRefused() throws Exception {
    TableDescriptor created =
        fixture.preparation().create(Fixture.descriptor(name).build(), Options.DEFAULT);
    admin.modifyColumnFamily(
        name,
        ColumnFamilyDescriptorBuilder.newBuilder(marks(created))
            .setBloomFilterType(BloomType.ROWCOL)
            .build());
    List<String> found = fixture.preparation().check(name);
    assertEquals(1, found.size(), found::toString);
    assertTrue(found.get(0).contains("set BLOOMFILTER to ROW"), found::toString);
    TableNotPreparedException refused =
        assertThrows(
            TableNotPreparedException.class,
            () -> fixture.preparation().prepare(name, Options.DEFAULT));
    assertTrue(refused.getMessage().contains(found.get(0)), refused::getMessage);
    assertThrows(
        TableNotPreparedException.class,
        () -> fixture.manager().read(tx -> read(tx.table(name), "r")));
  }

  /** Marks repeat the row keys. */
  @Test
  void marksOfEncryptedDataAreEncrypted() throws Exception {
    Configuration master = fixture.cluster.hbase().cluster().getActiveMaster().getConfiguration();
    List<Configuration> configurations = new ArrayList<>(fixture.serverConfigurations());
    configurations.add(master);
    for (Configuration each : configurations) {
      each.set(HConstants.CRYPTO_KEYPROVIDER_CONF_KEY, Keys.class.getName());
      each.set(HConstants.CRYPTO_MASTERKEY_NAME_CONF_KEY, "master");
    }
    try {
      byte[] key = EncryptionUtil.wrapKey(master, "master", new Keys().getKey("data"));
      TableDescriptor created =
          fixture
              .preparation()
              .create(
                  TableDescriptorBuilder.newBuilder(name)
                      .setColumnFamily(encrypted(F, CIPHER, key))
                      .build(),
                  Options.DEFAULT);
      assertEquals(CIPHER, marks(created).getEncryptionType());
      TransactionManager dying = fixture.dyingManager();
      dying.run(
          tx -> {
            tx.table(name).put(put("r", "1"));
            return null;
          });
      admin.flush(name);
      int files = 0;
      for (HRegion region : fixture.regions(name)) {
        HStore store = region.getStore(PendingWrite.family());
        for (HStoreFile file : store.getStorefiles()) {
          files++;
          assertNotNull(
              file.getReader().getHFileReader().getTrailer().getEncryptionKey(), file::toString);
        }
      }
      assertEquals(1, files);
      assertEquals("1", dying.run(tx -> read(tx.table(name), "r")));
      admin.disableTable(name);
      admin.deleteTable(name); // it cannot be read without these keys
    } finally {
      for (Configuration each : configurations) {
        each.unset(HConstants.CRYPTO_KEYPROVIDER_CONF_KEY);
        each.unset(HConstants.CRYPTO_MASTERKEY_NAME_CONF_KEY);
      }
    }
  }

  private static ColumnFamilyDescriptor encrypted(byte[] family, String cipher, byte[] key) {
    return ColumnFamilyDescriptorBuilder.newBuilder(family)
        .setEncryptionType(cipher)
        .setEncryptionKey(key)
        .build();
  }

  private ColumnFamilyDescriptor made(ColumnFamilyDescriptor... families) {
    TableDescriptor table =
        TableDescriptorBuilder.newBuilder(name).setColumnFamilies(List.of(families)).build();
    return PendingWrite.familyFor(table, HConstants.REPLICATION_SCOPE_LOCAL);
  }

  @Test
  void encryptionOfNewMarksIsThatOfTheData() {
    byte[] one = {1};
    byte[] two = {2};
    ColumnFamilyDescriptor clear = ColumnFamilyDescriptorBuilder.of(G);
    assertEquals(PendingWrite.familyDescriptor(), made(clear));
    assertEquals(CIPHER, made(encrypted(F, CIPHER, one), clear).getEncryptionType());
    assertArrayEquals(one, made(encrypted(F, CIPHER, one), clear).getEncryptionKey());
    ColumnFamilyDescriptor same = made(encrypted(F, CIPHER, one), encrypted(G, CIPHER, one));
    assertArrayEquals(one, same.getEncryptionKey());
    ColumnFamilyDescriptor keys = made(encrypted(F, CIPHER, one), encrypted(G, CIPHER, two));
    assertEquals(CIPHER, keys.getEncryptionType());
    assertNull(keys.getEncryptionKey(), "HBase makes one up for each file");
    IllegalArgumentException several =
        assertThrows(
            IllegalArgumentException.class,
            () -> made(encrypted(F, CIPHER, one), encrypted(G, "OTHER", one)));
    assertTrue(several.getMessage().contains("set the same ENCRYPTION"), several::getMessage);
  }
}
