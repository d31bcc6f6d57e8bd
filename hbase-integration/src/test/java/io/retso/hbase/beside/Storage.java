package io.retso.hbase.beside;

import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Tombstone;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * How HBase stores the families of a pair of tables, drawn at random: encodings, MOB and sizes of
 * blocks. What is visible must not depend on it.
 */
final class Storage {
  /** One that the larger half of the values is above, and one for the largest of them. */
  private static final int[] MOB_THRESHOLDS = {Tombstone.value().length, 500};

  private static final int[] BLOCK_BYTES = {1_024, 4_096, 65_536};

  private final List<ColumnFamilyDescriptor> families = new ArrayList<>();
  private final ColumnFamilyDescriptor marks;

  /** Half of them have MOB in some families. */
  Storage(Random random) {
    boolean mob = random.nextBoolean();
    for (String family : Draw.FAMILIES) {
      ColumnFamilyDescriptorBuilder drawn =
          encoded(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(family)), random);
      if (mob && random.nextInt(3) > 0) {
        drawn.setMobEnabled(true).setMobThreshold(MOB_THRESHOLDS[random.nextInt(2)]);
      }
      families.add(drawn.build());
    }
    marks =
        encoded(ColumnFamilyDescriptorBuilder.newBuilder(PendingWrite.familyDescriptor()), random)
            .setBloomFilterType(BloomType.ROW) // of columns it is refused
            .build();
  }

  private static ColumnFamilyDescriptorBuilder encoded(
      ColumnFamilyDescriptorBuilder family, Random random) {
    DataBlockEncoding[] encodings = DataBlockEncoding.values();
    BloomType[] blooms = {BloomType.NONE, BloomType.ROW, BloomType.ROWCOL};
    return family
        .setDataBlockEncoding(encodings[random.nextInt(encodings.length)])
        .setBlocksize(BLOCK_BYTES[random.nextInt(BLOCK_BYTES.length)])
        .setBloomFilterType(blooms[random.nextInt(blooms.length)]);
  }

  TableDescriptorBuilder descriptor(TableName name) {
    return TableDescriptorBuilder.newBuilder(name).setColumnFamilies(families);
  }

  /** Whether large values of some family are stored apart. */
  boolean hasMob() {
    return families.stream().anyMatch(ColumnFamilyDescriptor::isMobEnabled);
  }

  /** The family of the marks, as an operator may change it. */
  ColumnFamilyDescriptor marks() {
    return marks;
  }

  @Override
  public String toString() {
    List<String> texts = new ArrayList<>();
    for (ColumnFamilyDescriptor family : families) {
      texts.add(text(family));
    }
    texts.add(text(marks));
    return String.join(", ", texts);
  }

  private static String text(ColumnFamilyDescriptor family) {
    return family.getNameAsString().charAt(0)
        + " "
        + family.getDataBlockEncoding()
        + " in blocks of "
        + family.getBlocksize()
        + " bytes, Bloom filter "
        + family.getBloomFilterType()
        + (family.isMobEnabled() ? ", MOB above " + family.getMobThreshold() + " bytes" : "");
  }
}
