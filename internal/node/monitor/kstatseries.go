// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/node/series"
	"zfsbench.io/operator/internal/text/lines"
)

// parseARC reads the kstat arcstats. Before OpenZFS 2.2 there are no iohits.
func parseARC(r io.Reader) (series.ARC, error) {
	values, err := ParseNamed(r, "size", "c", "l2_hits", "l2_misses", "l2_size", "l2_asize",
		"demand_data_hits", "demand_data_iohits", "demand_data_misses", "demand_metadata_hits", "demand_metadata_iohits",
		"demand_metadata_misses",
		"prefetch_data_hits", "prefetch_data_iohits", "prefetch_data_misses", "prefetch_metadata_hits",
		"prefetch_metadata_iohits", "prefetch_metadata_misses")
	if err := errors.Join(err, named(values, "size", "c", "demand_data_hits", "demand_data_misses")); err != nil {
		return series.ARC{}, err
	}
	missed := func(kind string) int64 { return values[kind+"_misses"] + values[kind+"_iohits"] }
	return series.ARC{
		Size: values["size"], Target: values["c"],
		DemandHits: values["demand_data_hits"], DemandMisses: missed("demand_data"),
		MetadataHits: values["demand_metadata_hits"], MetadataMisses: missed("demand_metadata"),
		PrefetchHits:   values["prefetch_data_hits"] + values["prefetch_metadata_hits"],
		PrefetchMisses: missed("prefetch_data") + missed("prefetch_metadata"),
		L2Hits:         values["l2_hits"], L2Misses: values["l2_misses"], L2Size: values["l2_size"],
		L2ASize: values["l2_asize"],
	}, nil
}

// parseZIL reads the kstat zil, whose counters module/zfs/zil.c of OpenZFS describes.
func parseZIL(r io.Reader) (series.ZIL, error) {
	values, err := ParseNamed(r, "zil_commit_count", "zil_itx_metaslab_normal_count", "zil_itx_metaslab_normal_bytes",
		"zil_itx_metaslab_slog_count", "zil_itx_metaslab_slog_bytes")
	if err := errors.Join(err, named(values, "zil_commit_count", "zil_itx_metaslab_normal_bytes",
		"zil_itx_metaslab_slog_bytes")); err != nil {
		return series.ZIL{}, err
	}
	return series.ZIL{
		Commits:    values["zil_commit_count"],
		PoolWrites: values["zil_itx_metaslab_normal_count"], PoolBytes: values["zil_itx_metaslab_normal_bytes"],
		LogWrites: values["zil_itx_metaslab_slog_count"], LogBytes: values["zil_itx_metaslab_slog_bytes"],
	}, nil
}

// parseTransactions reads the kstat dmu_tx, whose counters module/zfs/dmu_tx.c of OpenZFS describes.
func parseTransactions(r io.Reader) (series.Transactions, error) {
	values, err := ParseNamed(r, "dmu_tx_assigned", "dmu_tx_dirty_delay", "dmu_tx_dirty_throttle", "dmu_tx_dirty_over_max")
	if err := errors.Join(err, named(values, "dmu_tx_assigned", "dmu_tx_dirty_delay",
		"dmu_tx_dirty_over_max")); err != nil {
		return series.Transactions{}, err
	}
	return series.Transactions{
		Assigned: values["dmu_tx_assigned"], Delayed: values["dmu_tx_dirty_delay"],
		Throttled: values["dmu_tx_dirty_throttle"] + values["dmu_tx_dirty_over_max"],
	}, nil
}

// named says which values are missing, or nil.
func named(values map[string]int64, names ...string) error {
	var errs error
	for _, name := range names {
		if _, ok := values[name]; !ok {
			errs = errors.Join(errs, fmt.Errorf("no value %s", name))
		}
	}
	return errs
}

// txgCommitted is the state of a txg that has been written to disk; module/zfs/spa_stats.c of OpenZFS prints the table.
const txgCommitted = "C"

// txgColumns are the columns that are read of a txg, by their names in the table's header.
var txgColumns = []string{"txg", "state", "ndirty", "nwritten", "otime", "qtime", "wtime", "stime"}

// parseTxgs reads the kstat POOL/txgs: a header line with the names of the columns, then a line for each of the last
// txgs. It skips txgs that are not written to disk yet.
func parseTxgs(r io.Reader) ([]series.Txg, error) {
	txgs := []series.Txg{}
	var place map[string]int
	for line, err := range lines.All(r) {
		if err != nil {
			return nil, err
		}
		fields := strings.Fields(line)
		if place == nil {
			if place, err = placesOf(fields); err != nil {
				return nil, err
			}
			continue
		}
		if len(fields) != len(place) {
			return nil, fmt.Errorf("%d fields, want %d", len(fields), len(place))
		}
		if fields[place["state"]] != txgCommitted {
			continue
		}
		txg, err := txgOf(fields, place)
		if err != nil {
			return nil, err
		}
		txgs = append(txgs, txg)
	}
	if place == nil {
		return nil, errors.New("there is no header line")
	}
	return txgs, nil
}

// placesOf finds the columns by the header line.
func placesOf(names []string) (map[string]int, error) {
	place := map[string]int{}
	for i, name := range names {
		place[name] = i
	}
	for _, name := range txgColumns {
		if _, ok := place[name]; !ok {
			return nil, fmt.Errorf("no column %s", name)
		}
	}
	if len(place) != len(names) {
		return nil, errors.New("two columns have the same name")
	}
	return place, nil
}

func txgOf(fields []string, place map[string]int) (series.Txg, error) {
	var errs error
	value := func(name string) int64 {
		n, err := strconv.ParseUint(fields[place[name]], 10, 63)
		errs = errors.Join(errs, err)
		return int64(n)
	}
	txg := series.Txg{
		ID: value("txg"), DirtyBytes: value("ndirty"), WrittenBytes: value("nwritten"), OpenNanoseconds: value("otime"),
		QuiesceNanoseconds: value("qtime"),
		WaitNanoseconds:    value("wtime"), SyncNanoseconds: value("stime"),
	}
	if errs != nil {
		return series.Txg{}, errs
	}
	return txg, nil
}
