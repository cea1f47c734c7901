;; The inner loops of vector search. kernel.ts documents each function. plain-kernel.ts does the same arithmetic in the
;; same order, so the results are bit-identical. All pointers are byte addresses in the one imported memory.
(module
  ;; 65536 pages are the limit of 32-bit addresses.
  (import "vector" "memory" (memory 1 65536))

  ;; The address of a row's vector or code. The table `blocks` has the address of each block of 1024 rows.
  (func $rowAt (param $row i32) (param $blocks i32) (param $offset i32) (param $stride i32) (result i32)
    (i32.add
      (i32.add
        (i32.load (i32.add (local.get $blocks) (i32.shl (i32.shr_u (local.get $row) (i32.const 10)) (i32.const 2))))
        (local.get $offset))
      (i32.mul (i32.and (local.get $row) (i32.const 1023)) (local.get $stride))))

  (func (export "scoreRows")
    (param $rows i32) (param $count i32) (param $out i32) (param $query i32) (param $blocks i32) (param $width i32)
    (local $end i32) (local $stride i32) (local $at i32) (local $last i32) (local $q i32) (local $some i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $stride (i32.shl (local.get $width) (i32.const 2)))
    (local.set $end (i32.add (local.get $rows) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $some (local.get $rows))
    (block $done
      (loop $row
        (br_if $done (i32.ge_u (local.get $rows) (local.get $end)))
        (if (i32.eq (local.get $rows) (local.get $some))
          (then
            (local.set $some (i32.add (local.get $rows) (i32.const 16)))
            (if (i32.le_u (local.get $some) (local.get $end))
              (then (call $touchRows (local.get $rows) (local.get $some)
                (local.get $out) (local.get $blocks) (i32.const 0) (local.get $stride))))))
        (local.set $at
          (call $rowAt (i32.load (local.get $rows)) (local.get $blocks) (i32.const 0) (local.get $stride)))
        (local.set $last (i32.add (local.get $at) (local.get $stride)))
        (local.set $q (local.get $query))
        (local.set $a (v128.const i64x2 0 0))
        (local.set $b (v128.const i64x2 0 0))
        (local.set $c (v128.const i64x2 0 0))
        (local.set $d (v128.const i64x2 0 0))
        (loop $eight
          (local.set $a (f64x2.add (local.get $a)
            (f64x2.mul
              (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $at)))
              (v128.load (local.get $q)))))
          (local.set $b (f64x2.add (local.get $b)
            (f64x2.mul
              (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (local.get $at)))
              (v128.load offset=16 (local.get $q)))))
          (local.set $c (f64x2.add (local.get $c)
            (f64x2.mul
              (f64x2.promote_low_f32x4 (v128.load64_zero offset=16 (local.get $at)))
              (v128.load offset=32 (local.get $q)))))
          (local.set $d (f64x2.add (local.get $d)
            (f64x2.mul
              (f64x2.promote_low_f32x4 (v128.load64_zero offset=24 (local.get $at)))
              (v128.load offset=48 (local.get $q)))))
          (local.set $q (i32.add (local.get $q) (i32.const 64)))
          (local.set $at (i32.add (local.get $at) (i32.const 32)))
          (br_if $eight (i32.lt_u (local.get $at) (local.get $last))))
        (local.set $a (f64x2.add
          (f64x2.add (local.get $a) (local.get $b))
          (f64x2.add (local.get $c) (local.get $d))))
        (f64.store (local.get $out)
          (f64.max (f64.const -1) (f64.min (f64.const 1)
            (f64.add (f64x2.extract_lane 0 (local.get $a)) (f64x2.extract_lane 1 (local.get $a))))))
        (local.set $out (i32.add (local.get $out) (i32.const 8)))
        (local.set $rows (i32.add (local.get $rows) (i32.const 4)))
        (br $row))))

  ;; code . query for four rows. They share the loads of the query, and their memory latencies overlap.
  ;; A separate function, because calls next to such a loop make the compiler keep its sums in memory.
  (func $fourDots
    (param $p i32) (param $r i32) (param $s i32) (param $t i32) (param $query i32) (param $last i32) (result v128)
    (local $q v128) (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (loop $numbers
      (local.set $q (v128.load (local.get $query)))
      (local.set $a (i32x4.add (local.get $a)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $p)) (local.get $q))))
      (local.set $b (i32x4.add (local.get $b)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $r)) (local.get $q))))
      (local.set $c (i32x4.add (local.get $c)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $s)) (local.get $q))))
      (local.set $d (i32x4.add (local.get $d)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $t)) (local.get $q))))
      (local.set $q (v128.load offset=16 (local.get $query)))
      (local.set $a (i32x4.add (local.get $a)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=16 (local.get $p)) (local.get $q))))
      (local.set $b (i32x4.add (local.get $b)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=16 (local.get $r)) (local.get $q))))
      (local.set $c (i32x4.add (local.get $c)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=16 (local.get $s)) (local.get $q))))
      (local.set $d (i32x4.add (local.get $d)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=16 (local.get $t)) (local.get $q))))
      (local.set $query (i32.add (local.get $query) (i32.const 32)))
      (local.set $p (i32.add (local.get $p) (i32.const 16)))
      (local.set $r (i32.add (local.get $r) (i32.const 16)))
      (local.set $s (i32.add (local.get $s) (i32.const 16)))
      (local.set $t (i32.add (local.get $t) (i32.const 16)))
      (br_if $numbers (i32.lt_u (local.get $query) (local.get $last))))
    (local.set $a (i32x4.add
      (i8x16.shuffle 0 1 2 3 16 17 18 19 8 9 10 11 24 25 26 27 (local.get $a) (local.get $b))
      (i8x16.shuffle 4 5 6 7 20 21 22 23 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b))))
    (local.set $c (i32x4.add
      (i8x16.shuffle 0 1 2 3 16 17 18 19 8 9 10 11 24 25 26 27 (local.get $c) (local.get $d))
      (i8x16.shuffle 4 5 6 7 20 21 22 23 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d))))
    (i32x4.add
      (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $a) (local.get $c))
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $a) (local.get $c))))

  ;; The keys of two rows from their dot products (the low two lanes) and headers.
  (func $twoBounds
    (param $dots v128) (param $p i32) (param $r i32) (param $unit f64) (param $spread f64) (param $slack f64) (result v128)
    (local $headers v128)
    (local.set $headers (v128.load64_lane 1 (local.get $r) (v128.load64_zero (local.get $p))))
    (i32x4.trunc_sat_f64x2_s_zero (f64x2.ceil (f64x2.mul (f64x2.splat (f64.const 32000))
      (f64x2.max (f64x2.splat (f64.const -1)) (f64x2.min (f64x2.splat (f64.const 1))
        (f64x2.add
          (f64x2.add
            (f64x2.mul
              (f64x2.mul
                (f64x2.convert_low_i32x4_s (local.get $dots))
                (f64x2.promote_low_f32x4
                  (i8x16.shuffle 0 1 2 3 8 9 10 11 0 1 2 3 8 9 10 11 (local.get $headers) (local.get $headers))))
              (f64x2.splat (local.get $unit)))
            (f64x2.mul
              (f64x2.promote_low_f32x4
                (i8x16.shuffle 4 5 6 7 12 13 14 15 4 5 6 7 12 13 14 15 (local.get $headers) (local.get $headers)))
              (f64x2.splat (local.get $spread))))
          (f64x2.splat (local.get $slack)))))))))

  ;; Prefetches some rows: reads from every cache line, so that the processor loads them in parallel.
  ;; Stores the value where keys or scores will be written later, so that the compiler does not remove the reads.
  (func $touchRows
    (param $rows i32) (param $end i32) (param $keys i32) (param $blocks i32) (param $offset i32) (param $stride i32)
    (local $at i32) (local $last i32) (local $seen i32)
    (loop $row
      (local.set $at (call $rowAt (i32.load (local.get $rows))
        (local.get $blocks) (local.get $offset) (local.get $stride)))
      (local.set $last (i32.add (local.get $at) (local.get $stride)))
      (local.set $seen (i32.const 0))
      (loop $line
        (local.set $seen (i32.xor (local.get $seen) (i32.load (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br_if $line (i32.lt_u (local.get $at) (local.get $last))))
      (i32.store16 (local.get $keys) (local.get $seen))
      (local.set $keys (i32.add (local.get $keys) (i32.const 2)))
      (local.set $rows (i32.add (local.get $rows) (i32.const 4)))
      (br_if $row (i32.lt_u (local.get $rows) (local.get $end)))))

  (func (export "boundRows")
    (param $rows i32) (param $count i32) (param $keys i32) (param $query i32)
    (param $blocks i32) (param $offset i32) (param $width i32) (param $unit f64) (param $spread f64) (param $slack f64)
    (local $end i32) (local $stride i32) (local $last i32) (local $some i32)
    (local $p i32) (local $r i32) (local $s i32) (local $t i32) (local $dots v128)
    (local.set $stride (i32.add (local.get $width) (i32.const 8)))
    (local.set $last (i32.add (local.get $query) (i32.shl (local.get $width) (i32.const 1))))
    (local.set $end (i32.add (local.get $rows) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $some (local.get $rows))
    (block $done
      (loop $four
        (br_if $done (i32.ge_u (local.get $rows) (local.get $end)))
        (if (i32.eq (local.get $rows) (local.get $some))
          (then
            (local.set $some (i32.add (local.get $rows) (i32.const 32)))
            ;; The processor prefetches consecutive rows by itself.
            (if (i32.and
                (i32.le_u (local.get $some) (local.get $end))
                (i32.ne
                  (i32.sub (i32.load offset=28 (local.get $rows)) (i32.load (local.get $rows)))
                  (i32.const 7)))
              (then (call $touchRows (local.get $rows) (local.get $some)
                (local.get $keys) (local.get $blocks) (local.get $offset) (local.get $stride))))))
        (local.set $p (call $rowAt (i32.load (local.get $rows))
          (local.get $blocks) (local.get $offset) (local.get $stride)))
        (local.set $r (call $rowAt (i32.load offset=4 (local.get $rows))
          (local.get $blocks) (local.get $offset) (local.get $stride)))
        (local.set $s (call $rowAt (i32.load offset=8 (local.get $rows))
          (local.get $blocks) (local.get $offset) (local.get $stride)))
        (local.set $t (call $rowAt (i32.load offset=12 (local.get $rows))
          (local.get $blocks) (local.get $offset) (local.get $stride)))
        (local.set $dots
          (call $fourDots (local.get $p) (local.get $r) (local.get $s) (local.get $t) (local.get $query) (local.get $last)))
        (v128.store64_lane 0 (local.get $keys)
          (i16x8.narrow_i32x4_s
            (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23
              (call $twoBounds (local.get $dots) (local.get $p) (local.get $r)
                (local.get $unit) (local.get $spread) (local.get $slack))
              (call $twoBounds
                (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $dots) (local.get $dots))
                (local.get $s) (local.get $t) (local.get $unit) (local.get $spread) (local.get $slack)))
            (local.get $dots)))
        (local.set $keys (i32.add (local.get $keys) (i32.const 8)))
        (local.set $rows (i32.add (local.get $rows) (i32.const 16)))
        (br $four))))

  (func (export "sumColumns")
    (param $sketch i32) (param $stride i32) (param $groups i32)
    (param $columns i32) (param $tables i32) (param $count i32) (param $sums i32) (param $accumulate i32)
    (local $end i32) (local $to i32) (local $last i32)
    (local $p0 i32) (local $p1 i32) (local $p2 i32) (local $p3 i32) (local $p4 i32) (local $p5 i32) (local $p6 i32) (local $p7 i32)
    (local $t0 v128) (local $t1 v128) (local $t2 v128) (local $t3 v128) (local $t4 v128) (local $t5 v128) (local $t6 v128) (local $t7 v128)
    (local $x v128) (local $low v128) (local $high v128)
    (local.set $last (i32.add (local.get $columns) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $end (i32.add (local.get $sums) (i32.shl (local.get $groups) (i32.const 5))))
    (if (i32.eqz (local.get $accumulate))
      (then (memory.fill (local.get $sums) (i32.const 0) (i32.sub (local.get $end) (local.get $sums)))))
    (loop $eight
      ;; Eight tables stay in registers while their columns are read, so that memory is read sequentially.
      (local.set $p0 (i32.add (local.get $sketch) (i32.mul (local.get $stride) (i32.load (local.get $columns)))))
      (local.set $t0 (v128.load (local.get $tables)))
      (local.set $p1 (i32.add (local.get $sketch) (i32.mul (local.get $stride) (i32.load offset=4 (local.get $columns)))))
      (local.set $t1 (v128.load offset=16 (local.get $tables)))
      (local.set $p2 (i32.add (local.get $sketch) (i32.mul (local.get $stride) (i32.load offset=8 (local.get $columns)))))
      (local.set $t2 (v128.load offset=32 (local.get $tables)))
      (local.set $p3 (i32.add (local.get $sketch) (i32.mul (local.get $stride) (i32.load offset=12 (local.get $columns)))))
      (local.set $t3 (v128.load offset=48 (local.get $tables)))
      (local.set $p4 (i32.add (local.get $sketch) (i32.mul (local.get $stride) (i32.load offset=16 (local.get $columns)))))
      (local.set $t4 (v128.load offset=64 (local.get $tables)))
      (local.set $p5 (i32.add (local.get $sketch) (i32.mul (local.get $stride) (i32.load offset=20 (local.get $columns)))))
      (local.set $t5 (v128.load offset=80 (local.get $tables)))
      (local.set $p6 (i32.add (local.get $sketch) (i32.mul (local.get $stride) (i32.load offset=24 (local.get $columns)))))
      (local.set $t6 (v128.load offset=96 (local.get $tables)))
      (local.set $p7 (i32.add (local.get $sketch) (i32.mul (local.get $stride) (i32.load offset=28 (local.get $columns)))))
      (local.set $t7 (v128.load offset=112 (local.get $tables)))
      (local.set $to (local.get $sums))
      (loop $group
        (local.set $low (v128.load (local.get $to)))
        (local.set $high (v128.load offset=16 (local.get $to)))
        (local.set $x (v128.load (local.get $p0)))
        (local.set $low (i8x16.add (local.get $low)
          (i8x16.swizzle (local.get $t0) (v128.and (local.get $x) (i8x16.splat (i32.const 15))))))
        (local.set $high (i8x16.add (local.get $high) (i8x16.swizzle (local.get $t0)
          (v128.and (i16x8.shr_u (local.get $x) (i32.const 4)) (i8x16.splat (i32.const 15))))))
        (local.set $x (v128.load (local.get $p1)))
        (local.set $low (i8x16.add (local.get $low)
          (i8x16.swizzle (local.get $t1) (v128.and (local.get $x) (i8x16.splat (i32.const 15))))))
        (local.set $high (i8x16.add (local.get $high) (i8x16.swizzle (local.get $t1)
          (v128.and (i16x8.shr_u (local.get $x) (i32.const 4)) (i8x16.splat (i32.const 15))))))
        (local.set $x (v128.load (local.get $p2)))
        (local.set $low (i8x16.add (local.get $low)
          (i8x16.swizzle (local.get $t2) (v128.and (local.get $x) (i8x16.splat (i32.const 15))))))
        (local.set $high (i8x16.add (local.get $high) (i8x16.swizzle (local.get $t2)
          (v128.and (i16x8.shr_u (local.get $x) (i32.const 4)) (i8x16.splat (i32.const 15))))))
        (local.set $x (v128.load (local.get $p3)))
        (local.set $low (i8x16.add (local.get $low)
          (i8x16.swizzle (local.get $t3) (v128.and (local.get $x) (i8x16.splat (i32.const 15))))))
        (local.set $high (i8x16.add (local.get $high) (i8x16.swizzle (local.get $t3)
          (v128.and (i16x8.shr_u (local.get $x) (i32.const 4)) (i8x16.splat (i32.const 15))))))
        (local.set $x (v128.load (local.get $p4)))
        (local.set $low (i8x16.add (local.get $low)
          (i8x16.swizzle (local.get $t4) (v128.and (local.get $x) (i8x16.splat (i32.const 15))))))
        (local.set $high (i8x16.add (local.get $high) (i8x16.swizzle (local.get $t4)
          (v128.and (i16x8.shr_u (local.get $x) (i32.const 4)) (i8x16.splat (i32.const 15))))))
        (local.set $x (v128.load (local.get $p5)))
        (local.set $low (i8x16.add (local.get $low)
          (i8x16.swizzle (local.get $t5) (v128.and (local.get $x) (i8x16.splat (i32.const 15))))))
        (local.set $high (i8x16.add (local.get $high) (i8x16.swizzle (local.get $t5)
          (v128.and (i16x8.shr_u (local.get $x) (i32.const 4)) (i8x16.splat (i32.const 15))))))
        (local.set $x (v128.load (local.get $p6)))
        (local.set $low (i8x16.add (local.get $low)
          (i8x16.swizzle (local.get $t6) (v128.and (local.get $x) (i8x16.splat (i32.const 15))))))
        (local.set $high (i8x16.add (local.get $high) (i8x16.swizzle (local.get $t6)
          (v128.and (i16x8.shr_u (local.get $x) (i32.const 4)) (i8x16.splat (i32.const 15))))))
        (local.set $x (v128.load (local.get $p7)))
        (local.set $low (i8x16.add (local.get $low)
          (i8x16.swizzle (local.get $t7) (v128.and (local.get $x) (i8x16.splat (i32.const 15))))))
        (local.set $high (i8x16.add (local.get $high) (i8x16.swizzle (local.get $t7)
          (v128.and (i16x8.shr_u (local.get $x) (i32.const 4)) (i8x16.splat (i32.const 15))))))
        (v128.store (local.get $to) (local.get $low))
        (v128.store offset=16 (local.get $to) (local.get $high))
        (local.set $p0 (i32.add (local.get $p0) (i32.const 16)))
        (local.set $p1 (i32.add (local.get $p1) (i32.const 16)))
        (local.set $p2 (i32.add (local.get $p2) (i32.const 16)))
        (local.set $p3 (i32.add (local.get $p3) (i32.const 16)))
        (local.set $p4 (i32.add (local.get $p4) (i32.const 16)))
        (local.set $p5 (i32.add (local.get $p5) (i32.const 16)))
        (local.set $p6 (i32.add (local.get $p6) (i32.const 16)))
        (local.set $p7 (i32.add (local.get $p7) (i32.const 16)))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (br_if $group (i32.lt_u (local.get $to) (local.get $end))))
      (local.set $columns (i32.add (local.get $columns) (i32.const 32)))
      (local.set $tables (i32.add (local.get $tables) (i32.const 128)))
      (br_if $eight (i32.lt_u (local.get $columns) (local.get $last)))))

  ;; One bit for each of 32 rows: eligible, with a sum from `low` to `low` + `range`.
  (func $within (param $sums i32) (param $words i32) (param $low v128) (param $range v128) (result i32)
    (i32.and
      (i32.load (local.get $words))
      (i32.or
        (i8x16.bitmask (i8x16.le_u (i8x16.sub (v128.load (local.get $sums)) (local.get $low)) (local.get $range)))
        (i32.shl
          (i8x16.bitmask
            (i8x16.le_u (i8x16.sub (v128.load offset=16 (local.get $sums)) (local.get $low)) (local.get $range)))
          (i32.const 16)))))

  (func (export "countSums")
    (param $sums i32) (param $words i32) (param $groups i32) (param $stride i32) (param $low i32) (result i32)
    (local $found i32) (local $lows v128) (local $range v128)
    (local.set $lows (i8x16.splat (local.get $low)))
    (local.set $range (i8x16.splat (i32.sub (i32.const 255) (local.get $low))))
    (block $done
      (loop $group
        (br_if $done (i32.le_s (local.get $groups) (i32.const 0)))
        (local.set $found (i32.add (local.get $found) (i32.popcnt
          (call $within (local.get $sums) (local.get $words) (local.get $lows) (local.get $range)))))
        (local.set $sums (i32.add (local.get $sums) (i32.shl (local.get $stride) (i32.const 5))))
        (local.set $words (i32.add (local.get $words) (i32.shl (local.get $stride) (i32.const 2))))
        (local.set $groups (i32.sub (local.get $groups) (local.get $stride)))
        (br $group)))
    (local.get $found))

  (func (export "collectSums")
    (param $sums i32) (param $words i32) (param $groups i32) (param $low i32) (param $high i32) (param $out i32)
    (result i32)
    (local $first i32) (local $row i32) (local $mask i32) (local $lows v128) (local $range v128)
    (local.set $first (local.get $out))
    (local.set $lows (i8x16.splat (local.get $low)))
    (local.set $range (i8x16.splat (i32.sub (local.get $high) (local.get $low))))
    (block $done
      (loop $group
        (br_if $done (i32.eqz (local.get $groups)))
        (local.set $mask (call $within (local.get $sums) (local.get $words) (local.get $lows) (local.get $range)))
        (block $none
          (loop $bit
            (br_if $none (i32.eqz (local.get $mask)))
            (i32.store (local.get $out) (i32.add (local.get $row) (i32.ctz (local.get $mask))))
            (local.set $out (i32.add (local.get $out) (i32.const 4)))
            (local.set $mask (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
            (br $bit)))
        (local.set $sums (i32.add (local.get $sums) (i32.const 32)))
        (local.set $words (i32.add (local.get $words) (i32.const 4)))
        (local.set $row (i32.add (local.get $row) (i32.const 32)))
        (local.set $groups (i32.sub (local.get $groups) (i32.const 1)))
        (br $group)))
    (i32.shr_u (i32.sub (local.get $out) (local.get $first)) (i32.const 2)))

  (func (export "countKeys") (param $keys i32) (param $count i32) (param $low i32) (result i32)
    (local $end i32) (local $found v128) (local $below v128)
    (local.set $end (i32.add (local.get $keys) (i32.shl (local.get $count) (i32.const 1))))
    (local.set $below (i16x8.splat (i32.sub (local.get $low) (i32.const 1))))
    (block $done
      (loop $some
        (br_if $done (i32.ge_u (local.get $keys) (local.get $end)))
        ;; A true comparison gives -1.
        (local.set $found (i32x4.sub (local.get $found) (i32x4.extadd_pairwise_i16x8_s
          (i16x8.add
            (i16x8.add
              (i16x8.gt_s (v128.load (local.get $keys)) (local.get $below))
              (i16x8.gt_s (v128.load offset=16 (local.get $keys)) (local.get $below)))
            (i16x8.add
              (i16x8.gt_s (v128.load offset=32 (local.get $keys)) (local.get $below))
              (i16x8.gt_s (v128.load offset=48 (local.get $keys)) (local.get $below)))))))
        (local.set $keys (i32.add (local.get $keys) (i32.const 64)))
        (br $some)))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $found)) (i32x4.extract_lane 1 (local.get $found)))
      (i32.add (i32x4.extract_lane 2 (local.get $found)) (i32x4.extract_lane 3 (local.get $found)))))

  (func (export "collectKeys")
    (param $keys i32) (param $count i32) (param $low i32) (param $high i32) (param $rows i32) (param $out i32)
    (result i32)
    (local $first i32) (local $position i32) (local $mask i32) (local $at i32) (local $below v128)
    (local.set $first (local.get $out))
    (local.set $below (i16x8.splat (i32.sub (local.get $low) (i32.const 1))))
    (block $done
      (loop $sixteen
        (br_if $done (i32.ge_u (local.get $position) (local.get $count)))
        (local.set $mask
          (i8x16.bitmask (i8x16.narrow_i16x8_s
            (i16x8.gt_s (v128.load (local.get $keys)) (local.get $below))
            (i16x8.gt_s (v128.load offset=16 (local.get $keys)) (local.get $below)))))
        (block $none
          (loop $bit
            (br_if $none (i32.eqz (local.get $mask)))
            (local.set $at (i32.ctz (local.get $mask)))
            (local.set $mask (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
            (br_if $bit
              (i32.gt_s
                (i32.load16_s (i32.add (local.get $keys) (i32.shl (local.get $at) (i32.const 1))))
                (local.get $high)))
            (i32.store (local.get $out)
              (i32.load (i32.add
                (local.get $rows)
                (i32.shl (i32.add (local.get $position) (local.get $at)) (i32.const 2)))))
            (local.set $out (i32.add (local.get $out) (i32.const 4)))
            (br $bit)))
        (local.set $keys (i32.add (local.get $keys) (i32.const 32)))
        (local.set $position (i32.add (local.get $position) (i32.const 16)))
        (br $sixteen)))
    (i32.shr_u (i32.sub (local.get $out) (local.get $first)) (i32.const 2)))

  ;; Adding 1.5 * 2^23 puts the nearest integer, ties to even, into the low bits of an f32.
  (func (export "quantizeRow") (param $vector i32) (param $code i32) (param $width i32)
    (local $at i32) (local $end i32) (local $to i32) (local $largest f32) (local $scale f32)
    (local $most v128) (local $inverse v128) (local $step v128) (local $v v128)
    (local $n0 v128) (local $n1 v128) (local $n2 v128) (local $n3 v128)
    (local $s0 v128) (local $s1 v128) (local $s2 v128) (local $s3 v128)
    (local.set $end (i32.add (local.get $vector) (i32.shl (local.get $width) (i32.const 2))))
    (local.set $at (local.get $vector))
    (loop $four
      (local.set $most (f32x4.pmax (local.get $most) (f32x4.abs (v128.load (local.get $at)))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $four (i32.lt_u (local.get $at) (local.get $end))))
    (local.set $largest
      (f32.max
        (f32.max (f32x4.extract_lane 0 (local.get $most)) (f32x4.extract_lane 1 (local.get $most)))
        (f32.max (f32x4.extract_lane 2 (local.get $most)) (f32x4.extract_lane 3 (local.get $most)))))
    (local.set $scale (f32.div (local.get $largest) (f32.const 127)))
    (local.set $step (f32x4.splat (local.get $scale)))
    (local.set $inverse (f32x4.splat
      (select (f32.div (f32.const 127) (local.get $largest)) (f32.const 0) (f32.gt (local.get $largest) (f32.const 0)))))
    (local.set $at (local.get $vector))
    (local.set $to (i32.add (local.get $code) (i32.const 8)))
    (loop $sixteen
      (local.set $v (v128.load (local.get $at)))
      (local.set $n0 (f32x4.add (f32x4.mul (local.get $v) (local.get $inverse)) (f32x4.splat (f32.const 12582912))))
      (local.set $v (f32x4.sub (local.get $v)
        (f32x4.mul (f32x4.sub (local.get $n0) (f32x4.splat (f32.const 12582912))) (local.get $step))))
      (local.set $s0 (f32x4.add (local.get $s0) (f32x4.mul (local.get $v) (local.get $v))))
      (local.set $n0 (i32x4.sub (local.get $n0) (i32x4.splat (i32.const 0x4b400000))))
      (local.set $v (v128.load offset=16 (local.get $at)))
      (local.set $n1 (f32x4.add (f32x4.mul (local.get $v) (local.get $inverse)) (f32x4.splat (f32.const 12582912))))
      (local.set $v (f32x4.sub (local.get $v)
        (f32x4.mul (f32x4.sub (local.get $n1) (f32x4.splat (f32.const 12582912))) (local.get $step))))
      (local.set $s1 (f32x4.add (local.get $s1) (f32x4.mul (local.get $v) (local.get $v))))
      (local.set $n1 (i32x4.sub (local.get $n1) (i32x4.splat (i32.const 0x4b400000))))
      (local.set $v (v128.load offset=32 (local.get $at)))
      (local.set $n2 (f32x4.add (f32x4.mul (local.get $v) (local.get $inverse)) (f32x4.splat (f32.const 12582912))))
      (local.set $v (f32x4.sub (local.get $v)
        (f32x4.mul (f32x4.sub (local.get $n2) (f32x4.splat (f32.const 12582912))) (local.get $step))))
      (local.set $s2 (f32x4.add (local.get $s2) (f32x4.mul (local.get $v) (local.get $v))))
      (local.set $n2 (i32x4.sub (local.get $n2) (i32x4.splat (i32.const 0x4b400000))))
      (local.set $v (v128.load offset=48 (local.get $at)))
      (local.set $n3 (f32x4.add (f32x4.mul (local.get $v) (local.get $inverse)) (f32x4.splat (f32.const 12582912))))
      (local.set $v (f32x4.sub (local.get $v)
        (f32x4.mul (f32x4.sub (local.get $n3) (f32x4.splat (f32.const 12582912))) (local.get $step))))
      (local.set $s3 (f32x4.add (local.get $s3) (f32x4.mul (local.get $v) (local.get $v))))
      (local.set $n3 (i32x4.sub (local.get $n3) (i32x4.splat (i32.const 0x4b400000))))
      (v128.store (local.get $to)
        (i8x16.narrow_i16x8_s
          (i16x8.narrow_i32x4_s (local.get $n0) (local.get $n1))
          (i16x8.narrow_i32x4_s (local.get $n2) (local.get $n3))))
      (local.set $at (i32.add (local.get $at) (i32.const 64)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br_if $sixteen (i32.lt_u (local.get $at) (local.get $end))))
    (local.set $v (f32x4.add
      (f32x4.add (local.get $s0) (local.get $s1))
      (f32x4.add (local.get $s2) (local.get $s3))))
    (f32.store (local.get $code) (local.get $scale))
    (f32.store offset=4 (local.get $code)
      (f32.add (f32.const 3e-7) (f32.mul (f32.const 1.0001) (f32.sqrt
        (f32.add
          (f32.add (f32x4.extract_lane 0 (local.get $v)) (f32x4.extract_lane 1 (local.get $v)))
          (f32.add (f32x4.extract_lane 2 (local.get $v)) (f32x4.extract_lane 3 (local.get $v)))))))))

  ;; Multiplies by `factors`, then applies a Walsh-Hadamard transform in place. `size` is a power of two, at least 8.
  (func $transform (param $at i32) (param $size i32) (param $factors i32)
    (local $end i32) (local $half i32) (local $p i32) (local $stop i32) (local $x v128) (local $y v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $p1 i32) (local $p2 i32) (local $p3 i32)
    (local.set $end (i32.add (local.get $at) (i32.shl (local.get $size) (i32.const 2))))
    ;; Neighbors at distance one and two share a register.
    (local.set $p (local.get $at))
    (loop $four
      (local.set $x (f32x4.mul (v128.load (local.get $p)) (v128.load (local.get $factors))))
      (local.set $x (f32x4.add
        (i8x16.shuffle 0 1 2 3 0 1 2 3 8 9 10 11 8 9 10 11 (local.get $x) (local.get $x))
        (v128.xor
          (i8x16.shuffle 4 5 6 7 4 5 6 7 12 13 14 15 12 13 14 15 (local.get $x) (local.get $x))
          (v128.const i32x4 0 0x80000000 0 0x80000000))))
      (v128.store (local.get $p) (f32x4.add
        (i8x16.shuffle 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 (local.get $x) (local.get $x))
        (v128.xor
          (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $x) (local.get $x))
          (v128.const i32x4 0 0 0x80000000 0x80000000))))
      (local.set $p (i32.add (local.get $p) (i32.const 16)))
      (local.set $factors (i32.add (local.get $factors) (i32.const 16)))
      (br_if $four (i32.lt_u (local.get $p) (local.get $end))))
    (local.set $half (i32.const 16))
    (block $done
      (loop $stage
        (br_if $done (i32.ge_u (i32.add (local.get $at) (local.get $half)) (local.get $end)))
        (local.set $p (local.get $at))
        (if (i32.lt_u (i32.add (local.get $at) (i32.shl (local.get $half) (i32.const 1))) (local.get $end))
          (then
            ;; Two stages at once: half of the loads and stores, the same sums.
            (loop $run
              (local.set $stop (i32.add (local.get $p) (local.get $half)))
              (loop $quad
                (local.set $p1 (i32.add (local.get $p) (local.get $half)))
                (local.set $p2 (i32.add (local.get $p1) (local.get $half)))
                (local.set $p3 (i32.add (local.get $p2) (local.get $half)))
                (local.set $x (v128.load (local.get $p)))
                (local.set $y (v128.load (local.get $p1)))
                (local.set $a (f32x4.add (local.get $x) (local.get $y)))
                (local.set $b (f32x4.sub (local.get $x) (local.get $y)))
                (local.set $x (v128.load (local.get $p2)))
                (local.set $y (v128.load (local.get $p3)))
                (local.set $c (f32x4.add (local.get $x) (local.get $y)))
                (local.set $d (f32x4.sub (local.get $x) (local.get $y)))
                (v128.store (local.get $p) (f32x4.add (local.get $a) (local.get $c)))
                (v128.store (local.get $p1) (f32x4.add (local.get $b) (local.get $d)))
                (v128.store (local.get $p2) (f32x4.sub (local.get $a) (local.get $c)))
                (v128.store (local.get $p3) (f32x4.sub (local.get $b) (local.get $d)))
                (local.set $p (i32.add (local.get $p) (i32.const 16)))
                (br_if $quad (i32.lt_u (local.get $p) (local.get $stop))))
              (local.set $p (i32.add (local.get $p) (i32.mul (local.get $half) (i32.const 3))))
              (br_if $run (i32.lt_u (local.get $p) (local.get $end))))
            (local.set $half (i32.shl (local.get $half) (i32.const 2))))
          (else
            (loop $run
              (local.set $stop (i32.add (local.get $p) (local.get $half)))
              (loop $pair
                (local.set $p1 (i32.add (local.get $p) (local.get $half)))
                (local.set $x (v128.load (local.get $p)))
                (local.set $y (v128.load (local.get $p1)))
                (v128.store (local.get $p) (f32x4.add (local.get $x) (local.get $y)))
                (v128.store (local.get $p1) (f32x4.sub (local.get $x) (local.get $y)))
                (local.set $p (i32.add (local.get $p) (i32.const 16)))
                (br_if $pair (i32.lt_u (local.get $p) (local.get $stop))))
              (local.set $p (i32.add (local.get $p) (local.get $half)))
              (br_if $run (i32.lt_u (local.get $p) (local.get $end))))
            (local.set $half (i32.shl (local.get $half) (i32.const 1)))))
        (br $stage))))

  (func $rotate (export "rotate")
    (param $at i32) (param $bits i32) (param $factors i32) (param $rounds i32) (param $span i32)
    (local $round i32)
    (loop $again
      (call $transform
        (select
          (i32.add (local.get $at) (i32.shl (i32.sub (local.get $bits) (local.get $span)) (i32.const 2)))
          (local.get $at)
          (i32.and (local.get $round) (i32.const 1)))
        (local.get $span)
        (local.get $factors))
      (local.set $factors (i32.add (local.get $factors) (i32.shl (local.get $span) (i32.const 2))))
      (local.set $round (i32.add (local.get $round) (i32.const 1)))
      (br_if $again (i32.lt_u (local.get $round) (local.get $rounds)))))

  (func (export "sketchRow")
    (param $vector i32) (param $width i32) (param $work i32) (param $bits i32)
    (param $factors i32) (param $rounds i32) (param $span i32) (param $columns i32) (param $stride i32)
    (param $position i32)
    (local $p i32) (local $end i32) (local $kept i32) (local $shift i32)
    (memory.copy (local.get $work) (local.get $vector) (i32.shl (local.get $width) (i32.const 2)))
    (memory.fill
      (i32.add (local.get $work) (i32.shl (local.get $width) (i32.const 2)))
      (i32.const 0)
      (i32.shl (i32.sub (local.get $bits) (local.get $width)) (i32.const 2)))
    (call $rotate (local.get $work) (local.get $bits) (local.get $factors) (local.get $rounds) (local.get $span))
    (local.set $p (local.get $work))
    (local.set $end (i32.add (local.get $work) (i32.shl (local.get $bits) (i32.const 2))))
    ;; Of 32 rows, the first 16 use the low halves of 16 bytes, the others the high halves.
    (local.set $columns (i32.add (local.get $columns) (i32.or
      (i32.shl (i32.shr_u (local.get $position) (i32.const 5)) (i32.const 4))
      (i32.and (local.get $position) (i32.const 15)))))
    (local.set $shift (i32.shr_u (i32.and (local.get $position) (i32.const 16)) (i32.const 2)))
    (local.set $kept (i32.shl (i32.const 15) (i32.sub (i32.const 4) (local.get $shift))))
    (loop $four
      (i32.store8 (local.get $columns) (i32.or
        (i32.and (i32.load8_u (local.get $columns)) (local.get $kept))
        (i32.shl (i32x4.bitmask (v128.load (local.get $p))) (local.get $shift))))
      (local.set $columns (i32.add (local.get $columns) (local.get $stride)))
      (local.set $p (i32.add (local.get $p) (i32.const 16)))
      (br_if $four (i32.lt_u (local.get $p) (local.get $end)))))
)
